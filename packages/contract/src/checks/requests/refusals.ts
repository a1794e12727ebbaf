import type { Check } from "../../check.ts";
import { images } from "../../images.ts";
import { must, need } from "../../outcome.ts";
import { isEnd, skipUnlessJudged } from "../../submission.ts";
import { elementsOf, fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { absent, checkRows, isNone, mustHave, mustHaveStatus } from "../expectations.ts";
import { idsOf, jobsOf, skipGatewayTimeout } from "../jobs/job-run.ts";
import { badInput, isRefused, noPerson, requestChecks, submissionChecks } from "./check-rows.ts";

const list = "GET /api/v1/tryon";
const statuses = ["queued", "running", "succeeded", "failed"];
const longPrompt = { prompt: "x".repeat(1_001) };
const badSeed = { seed: -1 };

const maxTries = 3;

export const refusalChecks: readonly Check[] = [
  ...submissionChecks({
    "refusals.form-is-422": {
      title: "Responds with 422 when fields break the schema",
      rules: ["submit.validation.400-or-422"],
      statuses: [422],
      mayTake: true,
      refused: [
        longPrompt,
        badSeed,
        { output_size: "8K" },
        { garment_images_b64: Array.from({ length: 4 }, () => images.garment) },
        { negative_prompt: 5 },
      ],
    },
    "refusals.meaning-is-400": {
      title: "Responds with 400 when fields have a wrong meaning",
      rules: ["submit.validation.400-or-422"],
      statuses: [400],
      mayTake: true,
      refused: [
        { person_image_b64: "no base64 $$$" },
        { garment_images_b64: ["bm8gcGljdHVyZQ=="] },
      ],
    },
  }),
  ...requestChecks({
    "list-query.limit": {
      title: "Refuses a limit of 0, a negative one and a text with 422",
      rules: ["list.limit.bounds"],
      requests: () =>
        ["0", "-1", "abc"].map((limit) => [`the limit ${limit}`, 422, list, { query: { limit } }]),
    },
    "list-query.status-filter.unknown": {
      title: "Refuses an unknown status as a filter",
      rules: ["list.status-filter.values"],
      requests: () => [["the filter finished", badInput, list, { query: filterBy("finished") }]],
    },
    "list-query.cursor.unknown": {
      title: "Refuses an unknown cursor",
      rules: ["list.cursor.unknown"],
      requests: () => [
        ["an unknown cursor", badInput, list, { query: { cursor: `job_${"0".repeat(23)}1` } }],
      ],
    },
  }),
  ...checkRows("safe", 0, {
    "refusals.purchase-form-is-422": {
      title: "Responds with 422 when a purchase breaks its schema",
      rules: ["purchase.validation.400-or-422"],
      async run({ http }) {
        const orders: Readonly<Record<string, Fields>> = {
          "without a token": { pack_slug: "demo" },
          "without a pack": { shared_payment_granted_token: token(20) },
          "with a short token": { pack_slug: "demo", shared_payment_granted_token: token(3) },
          "with a long token": { pack_slug: "demo", shared_payment_granted_token: token(201) },
        };
        for (const [what, body] of Object.entries(orders)) {
          const response = await http.request("POST", "/api/v1/credits/purchase", { body });
          if (isRefused(response)) mustHaveStatus(response, 422, `a purchase ${what}`);
        }
      },
    },
    "refusals.all-problems": {
      credits: 24,
      title: "Lists every invalid field of a request, each with its location",
      rules: ["validation-error.detail.array"],
      async run({ http }) {
        // A field that is valid alone would be missing for another reason.
        for (const alone of [longPrompt, badSeed]) problemsOf(await http.submit(alone));
        const response = await http.submit({ ...longPrompt, ...badSeed });
        const found = new Set(problemsOf(response).flatMap(({ loc }) => elementsOf(loc)));
        const missing = ["prompt", "seed"].filter((field) => !found.has(field));
        must(missing.length === 0, `The 422 does not list ${missing.join(" and ")}.`, response);
      },
    },
    "refusals.loc": {
      credits: 8,
      title: "Ends the location of an invalid field with its name",
      rules: ["validation-error.loc.path"],
      async run({ http }) {
        mustEndWith(await http.submit(badSeed), "seed");
        mustEndWith(await http.list({ limit: "none" }), "limit");
      },
    },
    "refusals.named-field": {
      credits: 16,
      title: "Names the field when it refuses a URL or an image",
      async run({ http }) {
        const wrong = {
          person_url: { ...noPerson, person_url: "not a URL" },
          garment_images_b64: { garment_images_b64: ["no base64 $$$"] },
        };
        for (const [field, fields] of Object.entries(wrong)) {
          const response = await http.submit(fields);
          const passes = !isRefused(response) || response.text.includes(field);
          must(passes, `The refusal of a bad ${field} does not name it.`, response);
        }
      },
    },
    "refusals.content-type": {
      credits: 24,
      title: "Takes a POST of the type JSON, and refuses other types",
      rules: ["endpoints.post.content-type", "endpoints.json"],
      async run({ http }) {
        const json = { "content-type": "application/json; charset=utf-8" };
        const taken = await http.submit({}, { headers: json });
        skipUnlessJudged(taken);
        mustHaveStatus(taken, 200, "JSON in UTF-8");
        for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
          const response = await http.submit({}, { headers: { "content-type": type } });
          mustHaveStatus(response, [...badInput, 415], `a POST of ${type}`);
        }
      },
    },
    "list-query.status-filter": {
      credits: 8,
      title: "Lists only jobs of a status",
      rules: ["list.status-filter.values"],
      async run({ http }) {
        const { job_id: id, status: end } = fieldsOf((await http.submitAndWait()).json);
        for (const status of statuses) {
          const page = await http.list({ ...filterBy(status), limit: "50" });
          mustHaveStatus(page, 200, `the filter ${status}`);
          const other = jobsOf(page).find((job) => job["status"] !== status);
          const message = `The filter ${status} lists a job that is ${String(other?.["status"])}.`;
          must(other === undefined, message, page);
          const listed = status !== end || idsOf(page).includes(String(id));
          must(listed, `The filter ${status} omits ${String(id)}.`, page);
        }
      },
    },
    "list-query.status-filter.unfinished": {
      credits: 8,
      title: "Lists a running or queued job by its status",
      rules: ["list.status-filter.values"],
      async run({ http, keys }) {
        await keys.useNew({ mode: "test" });
        const ids: string[] = [];
        // Several slow jobs at once, so that a deployment that limits them has a queue.
        for (let job = 0; job < (keys.hasControl ? 4 : 1); job += 1) {
          await keys.slowNextJob(3_000);
          ids.push(await http.start());
        }
        let found = 0;
        for (const id of ids) {
          const status = async () => fieldsOf((await http.pollVisible(id)).json)["status"];
          const before = String(await status());
          const page = await http.list({ ...filterBy(before), limit: "50" });
          // The job may have gone on in between.
          if (isEnd(before) || before !== (await status())) continue;
          found += 1;
          must(idsOf(page).includes(id), `The filter ${before} omits ${id}.`, page);
        }
        for (const id of ids) await http.waitForEnd(id);
        need(found > 0, "The job was over before the list had it.");
      },
    },
    "content.disallowed": {
      credits: 16,
      title: "Makes no image of disallowed content, and says so in polls, the list and responses",
      rules: ["content.disallowed.refused"],
      newKey: { credits: 100 },
      async run({ http, keys }) {
        const blocked = {
          status: "failed",
          error_code: "generation_failed",
          error_message: "content_blocked",
          result_url: absent,
        };
        await keys.setNextJob({ outcome: "content_blocked" });
        const job = await http.submitAndWait();
        mustHave(job, blocked, "a job with disallowed content");
        const page = await http.list();
        const hasImage = jobsOf(page).some((listed) => !isNone(listed["result_url"]));
        must(!hasImage, "The list has a result_url for disallowed content.", page);
        await keys.setNextJob({ outcome: "content_blocked" });
        const { response } = await http.submitSync();
        skipGatewayTimeout(response);
        mustHave(response, blocked, "a synchronous request with disallowed content");
      },
    },
  }),
  ...checkRows("safe", 8, {
    "refusal-order.key-before-form": {
      credits: 0,
      title: "Checks the key before the fields",
      rules: ["endpoints.refusals.order"],
      async run({ http }) {
        const response = await http.submit(badSeed, { key: null });
        mustHaveStatus(response, 401, "a bad seed without a key");
      },
    },
    "refusal-order.state-before-form": {
      title: "Checks the state of the key before the fields",
      rules: ["endpoints.refusals.order"],
      async run({ http, keys }) {
        const response = await http.submit(badSeed, { key: keys.named("disabled") });
        // Another check fails for a 401.
        mustHaveStatus(response, [401, 403], "a bad seed of a disabled key");
      },
    },
    "refusal-order.form-before-meaning": {
      credits: 24,
      title: "Checks the schema of all fields before their meaning",
      rules: ["endpoints.refusals.order"],
      async run({ http }) {
        const { status: form } = await http.submit(badSeed);
        const { status: meaning } = await http.submit(noPerson);
        const both = await http.submit({ ...badSeed, ...noPerson });
        const areRefused = form !== 200 && meaning !== 200 && form !== meaning;
        need(areRefused, `A bad seed gets ${form}, and a missing person ${meaning}.`);
        mustHaveStatus(both, form, "a bad seed without a person");
      },
    },
    "refusal-order.meaning-before-credits": {
      credits: 16,
      title: "Checks the meaning of a submission before the credits",
      rules: ["endpoints.refusals.order"],
      async run({ http, keys }) {
        const alone = await http.submit(noPerson);
        need(alone.status !== 200, "A submission without a person was taken.");
        const key = await keys.make({ credits: 0 });
        const response = await http.submit(noPerson, { key });
        must(response.status !== 402, "No person and no credits got 402.", response);
      },
    },
    "refusal-order.limit-before-form": {
      credits: 8 * maxTries,
      title: "Checks the rate limit before the fields",
      rules: ["endpoints.refusals.order"],
      newKey: { rate_limit_per_min: 1 },
      async run({ http }) {
        for (let attempt = 1; ; attempt += 1) {
          await http.account({ return429: true });
          const response = await http.submit(badSeed, { return429: true });
          if (response.status === 429) return;
          // The window may have ended between the two requests.
          if (attempt === maxTries) mustHaveStatus(response, 429, "a bad seed over the limit");
        }
      },
    },
  }),
];

/** The filter under both of its names: which of them counts is an open point. */
function filterBy(status: string) {
  return { status_filter: status, status };
}

function token(length: number): string {
  return "spt_".padEnd(length, "0").slice(0, length);
}

function problemsOf(response: HttpResponse): readonly Fields[] {
  const message = `Bad input got ${response.status}; only a 422 lists invalid fields.`;
  need(response.status === 422, message);
  return elementsOf(fieldsOf(response.json)["detail"]).map(fieldsOf);
}

function mustEndWith(response: HttpResponse, expected: string): void {
  const found = problemsOf(response).map(({ loc }) => elementsOf(loc).at(-1));
  const message = `Expected a problem at ${expected} in the 422, got ${found.join(", ")}.`;
  must(found.includes(expected), message, response);
}
