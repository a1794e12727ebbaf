import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";

/** The endpoints that a call can ask for without a job. */
const endpoints: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/api/v1/account"],
  ["GET", "/api/v1/tryon"],
  ["POST", "/api/v1/tryon"],
  ["POST", "/api/v1/credits/purchase"],
];

/** What is found where. */
export const urls: readonly Check[] = [
  {
    id: "addresses.endpoints",
    title: "Has every endpoint below the one base address",
    rules: ["service.base-address.given", "version.in-path"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const [method, path] of endpoints) {
        const body = method === "POST" ? {} : undefined;
        const answer = await session.call(method, path, { body });
        const there = ![404, 405, 501].includes(answer.status) && answer.status < 600;
        must(there, `${method} ${path} was answered ${answer.status}.`, answer);
      }
    },
  },
  {
    id: "addresses.unknown",
    title: "Answers an address that there is not with 404 and a detail, key or no key",
    rules: ["error-response.detail.string"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const key of [null, session.key]) {
        const answer = await session.call("GET", "/api/v1/contract-nowhere", { key });
        must(answer.status === 404, `An unknown address was answered ${answer.status}.`, answer);
        mustHaveDetail(answer);
      }
    },
  },
  {
    id: "addresses.wrong-method",
    title: "Answers a method that an address does not have with 405, a detail, and Allow",
    rules: ["error-response.detail.string"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const tries = [
        ["DELETE", "/api/v1/account", ["GET"]],
        ["PUT", "/api/v1/tryon", ["GET", "POST"]],
        ["GET", "/api/v1/credits/purchase", ["POST"]],
      ] as const;
      for (const [method, path, methods] of tries) {
        const answer = await session.call(method, path);
        must(answer.status === 405, `${method} ${path} was answered ${answer.status}.`, answer);
        mustHaveDetail(answer);
        const allowed = allowedBy(answer);
        const names = methods.every((name) => allowed.includes(name));
        must(names, `Allow of ${path} is ${allowed.join(", ")}, without all that work.`, answer);
      }
    },
  },
  {
    id: "addresses.head",
    title: "Answers HEAD as GET but without a body, or with 405",
    rules: [],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.call("HEAD", "/api/v1/account");
      const { status, bytes } = answer;
      const refused = status === 405 && allowedBy(answer).includes("GET");
      must(refused || status === 200, `HEAD was answered ${status}, and not as GET is.`, answer);
      must(bytes.length === 0, `HEAD was answered with a body of ${bytes.length} bytes.`, answer);
    },
  },
];

function allowedBy({ headers }: HttpResponse): readonly string[] {
  return (headers.get("allow") ?? "").split(",").map((method) => method.trim().toUpperCase());
}

function mustHaveDetail(answer: HttpResponse): void {
  const { detail } = fieldsOf(answer.json);
  must(typeof detail === "string", `The ${answer.status} has no detail that is a text.`, answer);
}
