import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { HttpResponse } from "../../wire/response.ts";

const origin = "http://localhost:3000"; // The reference server allows local pages by default.

/** Headers of answers that a page has to be able to read. */
const exposed = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
  "idempotent-replayed",
];

/** Whether a page of another origin can call the service. */
export const crossOrigin: readonly Check[] = [
  {
    id: "cross-origin.preflight",
    title: "Lets a page submit: answers its preflight, which carries no key",
    rules: [],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const headers = ["authorization", "content-type", "idempotency-key"];
      const answer = await session.call("OPTIONS", "/api/v1/tryon", {
        key: null,
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": headers.join(","),
        },
      });
      const { status } = answer;
      must(status >= 200 && status < 300, `A preflight was answered ${status}.`, answer);
      mustLetIn(answer);
      const methods = listed(answer, "access-control-allow-methods");
      // Methods that forms can send need not be named.
      must(
        methods.includes("post") || methods.includes("*") || methods.length === 0,
        `The methods ${methods.join(", ")} are allowed, and not POST.`,
        answer,
      );
      const allowed = listed(answer, "access-control-allow-headers");
      const missing = headers.filter((header) => !allowed.includes(header));
      must(missing.length === 0, `A page may not send ${missing.join(", ")}.`, answer);
    },
  },
  {
    id: "cross-origin.answer",
    title: "Lets a page read its answers, and their headers of limits and replays",
    rules: [],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.account({ headers: { origin } });
      mustLetIn(answer);
      const readable = listed(answer, "access-control-expose-headers");
      const missing = exposed.filter((header) => !readable.includes(header));
      must(missing.length === 0, `A page cannot read ${missing.join(", ")}.`, answer);
    },
  },
];

function mustLetIn(answer: HttpResponse): void {
  const allowed = answer.headers.get("access-control-allow-origin");
  must(
    allowed === "*" || allowed === origin,
    `Access-Control-Allow-Origin is ${allowed ?? "missing"}.`,
    answer,
  );
}

function listed({ headers }: HttpResponse, name: string): readonly string[] {
  return (headers.get(name) ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
}
