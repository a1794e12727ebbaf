import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { fieldsOf } from "../../wire/answer.ts";

export const authentication: readonly Check[] = [
  {
    id: "authentication.missing-key",
    title: "A call without a key is a 401 that asks for a bearer",
    rules: ["auth.key.missing-401", "auth.bearer.header"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.account({ key: null });
      must(answer.status === 401, `No key was answered ${answer.status}, and not 401.`, answer);
      const asked = answer.headers.get("www-authenticate") ?? "";
      must(/^bearer\b/i.test(asked), "The 401 has no WWW-Authenticate: Bearer.", answer);
      must(typeof fieldsOf(answer.json)["detail"] === "string", "The 401 has no detail.", answer);
    },
  },
];
