import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { images } from "../../images.ts";
import { skipUnlessJudged } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { badInput, mostCredits, type Variant } from "./submission-check.ts";

const tooLong = { prompt: "x".repeat(1_001) };
const fourGarments = Array.from({ length: 4 }, () => images.garment);
const badSeed = { seed: -1 };
const noPerson = { person_image_b64: undefined };

/** How bad input is refused: with which status, and in which words. */
export const refusals: readonly Check[] = [
  statusCheck(422, {
    id: "refusals.form-is-422",
    title: "Answers what the schema alone shows to be wrong with 422",
    rules: ["submit.validation.400-or-422", "validation-error.detail.array"],
    refused: [
      ["a prompt that is too long", tooLong],
      ["a seed out of range", { seed: -1 }],
      ["a size that there is not", { output_size: "8K" }],
      ["4 items in one list", { garment_images_b64: fourGarments }],
      ["a number for a text", { negative_prompt: 5 }],
    ],
  }),
  statusCheck(400, {
    id: "refusals.meaning-is-400",
    title: "Answers what is wrong by its meaning with 400",
    rules: ["submit.validation.400-or-422"],
    refused: [
      ["no base64 in person_image_b64", { person_image_b64: "no base64 $$$" }],
      ["no image in garment_images_b64", { garment_images_b64: ["bm8gcGljdHVyZQ=="] }],
    ],
  }),
  {
    id: "refusals.purchase-form-is-422",
    title: "Answers a purchase that does not fit its schema with 422",
    rules: ["purchase.validation.400-or-422"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const token = `spt_${"0".repeat(200)}`;
      const orders: readonly (readonly [what: string, order: object])[] = [
        ["without a token", { pack_slug: "demo" }],
        ["without a pack", { shared_payment_granted_token: token.slice(0, 20) }],
        ["with 3 characters of token", { pack_slug: "demo", shared_payment_granted_token: "spt" }],
        [
          "with 201 characters of token",
          { pack_slug: "demo", shared_payment_granted_token: token.slice(0, 201) },
        ],
      ];
      for (const [what, body] of orders) {
        const answer = await session.call("POST", "/api/v1/credits/purchase", { body });
        mustBe(422, `A purchase ${what}`, answer);
      }
    },
  },
  {
    id: "refusals.all-problems",
    title: "Names every problem of a request at once, each with its place",
    rules: ["validation-error.detail.array"],
    level: "safe",
    on: "any",
    credits: 24,
    async run(session) {
      // Only what is a problem by itself can be missed.
      for (const alone of [tooLong, badSeed]) problemsOf(await session.submit(alone));
      const answer = await session.submit({ ...tooLong, ...badSeed });
      const named = problemsOf(answer).map(({ loc }) => elementsOf(loc));
      const missing = ["prompt", "seed"].filter(
        (field) => !named.some((loc) => loc.includes(field)),
      );
      must(missing.length === 0, `The 422 does not name ${missing.join(" and ")}.`, answer);
    },
  },
  {
    id: "refusals.loc",
    title: "Begins the place of a problem with the part of the request it is in",
    rules: ["validation-error.loc.path"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const body = await session.submit(badSeed);
      mustBeAt(body, ["body", "seed"]);
      const query = await session.call("GET", "/api/v1/tryon", { query: { limit: "none" } });
      mustBeAt(query, ["query", "limit"]);
    },
  },
  {
    id: "refusals.named-field",
    title: "Names the field that a refused address or image is in",
    rules: ["error-response.detail.string"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const wrong = {
        person_url: { ...noPerson, person_url: "not an address" },
        garment_images_b64: { garment_images_b64: ["no base64 $$$"] },
      };
      for (const [field, fields] of Object.entries(wrong)) {
        const answer = await session.submit(fields);
        if (!isRefused(answer)) continue;
        must(answer.text.includes(field), `A bad ${field} is refused without naming it.`, answer);
      }
    },
  },
  {
    id: "refusals.content-type",
    title: "Takes a POST that says it is JSON, and refuses one that says it is something else",
    rules: ["endpoints.post.content-type", "endpoints.json"],
    level: "safe",
    on: "any",
    credits: 24,
    async run(session) {
      const json = { "content-type": "application/json; charset=utf-8" };
      const taken = await session.submit({}, { headers: json });
      skipUnlessJudged(taken);
      must(taken.status === 200, `JSON in UTF-8 was answered ${taken.status}.`, taken);
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        const answer = await session.submit({}, { headers: { "content-type": type } });
        const refused = isRefused(answer) || answer.status === 415;
        must(refused, `A POST of ${type} was answered ${answer.status}.`, answer);
      }
    },
  },
];

/** A check of the status of what is refused; whether it is refused at all is looked at by those of the fields. */
function statusCheck(
  status: number,
  claim: Pick<Check, "id" | "title" | "rules"> & { readonly refused: readonly Variant[] },
): Check {
  const { refused, ...rest } = claim;
  return {
    ...rest,
    level: "safe",
    on: "any",
    credits: mostCredits(refused),
    async run(session: Session) {
      for (const [what, fields] of refused) {
        mustBe(status, `A submission with ${what}`, await session.submit(fields));
      }
    },
  };
}

function isRefused({ status }: HttpResponse): boolean {
  return badInput.some((refusal) => refusal === status);
}

/** @throws Broken when bad input is refused with another status. */
function mustBe(status: number, what: string, answer: HttpResponse): void {
  const wrong = isRefused(answer) && answer.status !== status;
  must(!wrong, `${what} was answered ${answer.status}, and should be ${status}.`, answer);
}

/** The problems that a 422 names. @throws Skip for any other answer, which is not what is looked at. */
function problemsOf(answer: HttpResponse): readonly ReturnType<typeof fieldsOf>[] {
  if (answer.status !== 422) {
    throw new SkipCheck(
      `Bad input was answered ${answer.status}; it takes a 422 to see its problems.`,
    );
  }
  return elementsOf(fieldsOf(answer.json)["detail"]).map(fieldsOf);
}

function mustBeAt(answer: HttpResponse, place: readonly string[]): void {
  const found = problemsOf(answer).map(({ loc }) => elementsOf(loc).join("."));
  const wanted = place.join(".");
  must(found.includes(wanted), `The 422 is at ${found.join(", ")}, and not at ${wanted}.`, answer);
}
