import type { OptionValue, Probe } from "../check.ts";
import { must, SkipCheck } from "../outcome.ts";
import type { Session } from "../session.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../wire/response.ts";
import { isLoopback } from "../wire/ip-zones.ts";
import { NoResponse } from "../wire/send.ts";

const path = "/api/v1/tryon";
const broken = { raw: "{", headers: { "content-type": "application/json" } };

/** How much is sent to see what becomes of a body over 64 MiB. */
const oversizeBytes = 64 * 1024 * 1024 + 1;

export const requestProbes: readonly Probe[] = [
  {
    id: "observed.checkOrder",
    option: "checkOrder",
    title: "Whether a body that is not JSON is refused before the key is looked at",
    rules: ["endpoints.refusals.order"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const answer = await session.call("POST", path, { ...broken, key: null });
      if (answer.status === 401) return "auth-first";
      const refused = answer.status === 400 || answer.status === 422;
      must(refused, `Neither key nor JSON was answered ${answer.status}.`, answer);
      return "body-first";
    },
  },
  {
    id: "observed.malformedBody",
    option: "malformedBody",
    title: "The status for a body that is not a JSON object",
    rules: ["submit.validation.400-or-422"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const answer = await session.call("POST", path, broken);
      const { status } = answer;
      must(status === 400 || status === 422, `A broken body was answered ${status}.`, answer);
      return status;
    },
  },
  {
    id: "observed.echoInput",
    option: "echoInput",
    title: "How much of a refused value a validation error repeats",
    rules: ["validation-error.input.how-much"],
    level: "safe",
    on: "any",
    credits: 8,
    async observe(session) {
      const prompt = "x".repeat(1_001);
      const answer = await session.submit({ prompt });
      const [problem] = elementsOf(fieldsOf(answer.json)["detail"]).map(fieldsOf);
      const { input } = problem ?? {};
      if (typeof input !== "string") return undefined;
      return input.length < prompt.length ? "cut" : "full";
    },
  },
  {
    id: "observed.oversize",
    option: "oversize",
    title: "The status for a body over 64 MiB",
    rules: ["submit.body.largest"],
    level: "full",
    on: "any",
    credits: 8,
    observe: oversize,
  },
  {
    id: "observed.jsonTypes",
    option: "jsonTypes",
    title: "Whether texts that spell a boolean or a number pass for one",
    rules: ["request.types.strictness"],
    level: "safe",
    on: "any",
    credits: 16,
    async observe(session) {
      const seed = await passes(session, { seed: "7" });
      const wait = await passes(session, { wait: "false" });
      if (seed === wait) return seed ? "lax" : "strict";
      throw new SkipCheck(
        `A text passes for a ${seed ? "number" : "boolean"} alone, not for both.`,
      );
    },
  },
  {
    id: "observed.slashRedirect",
    option: "slashRedirect",
    title: "Whether a trailing slash is answered with a redirect",
    rules: ["endpoints.addresses.other-spellings"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const answer = await session.call("GET", "/api/v1/account/");
      const { status } = answer;
      if (status === 404) return false;
      if (status < 300 || status >= 400) {
        throw new SkipCheck(`An address with a trailing slash was answered ${status}.`);
      }
      const target = new URL(answer.headers.get("location") ?? "", answer.call.url);
      const leads = target.pathname === new URL(session.url("/api/v1/account")).pathname;
      must(leads, `A trailing slash leads to ${target.pathname}.`, answer);
      return true;
    },
  },
];

async function passes(session: Session, fields: object): Promise<boolean> {
  const what = JSON.stringify(fields);
  const answer = await session.submit({ ...fields });
  const { status } = answer;
  must([200, 400, 422].includes(status), `A submission with ${what} got ${status}.`, answer);
  return status === 200;
}

/** Sends the body once, and only to where that costs nobody anything. */
async function oversize(session: Session): Promise<OptionValue | undefined> {
  if (!isLoopback(session.bench.baseUrl) && session.bench.control === undefined) {
    throw new SkipCheck("A body of 64 MiB is sent only to a deployment on this machine.");
  }
  const answer = await answerTo(session);
  if (answer === undefined) {
    throw new SkipCheck("The connection was broken while a body of over 64 MiB was sent.");
  }
  const { status } = answer;
  if (status === 400 || status === 413) return status;
  throw new SkipCheck(`A body of over 64 MiB was answered ${status}.`);
}

async function answerTo(session: Session): Promise<HttpResponse | undefined> {
  try {
    return await session.submit({ padding: "x".repeat(oversizeBytes) });
  } catch (error) {
    if (error instanceof NoResponse) return undefined;
    throw error;
  }
}
