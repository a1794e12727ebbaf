import type { Check } from "../../check.ts";
import type { Session } from "../../session.ts";
import { mustRefuse, mustTake, submissionCheck } from "./submission-check.ts";

/** An address of a host that there is: what cannot be fetched is refused for that. */
const image = "https://example.com/";

/** A host at which nobody gets what is sent there by mistake. */
const nobody = "https://tryon-contract.invalid/";

/** Fields that hold words for the model. */
const wordings = [
  { field: "prompt", most: 1_000, rule: "request.prompt.max-length" },
  { field: "style_hint", most: 500, rule: "request.style-hint.max-length" },
  { field: "negative_prompt", most: 500, rule: "request.negative-prompt.max-length" },
] as const;

const wordingChecks = wordings.map(({ field, most, rule }) =>
  submissionCheck({
    id: `text.${field}.length`,
    title: `Takes ${field} as null and with ${most} characters, and no more than that`,
    rules: [rule],
    taken: [
      [`${field} null`, { [field]: null }],
      [`${most} characters in ${field}`, { [field]: "x".repeat(most) }],
    ],
    refused: [[`${most + 1} characters in ${field}`, { [field]: "x".repeat(most + 1) }]],
  }),
);

/** Of addresses the length is counted, whether or not the service goes there. */
export const textBounds: readonly Check[] = [
  ...wordingChecks,
  submissionCheck({
    id: "text.person_url.length",
    title: "Takes person_url with 2000 characters, and no more than that",
    rules: ["request.person-url.max-length"],
    // The photo in base64 is the one that counts, so that nothing has to be fetched.
    taken: [["2000 characters in person_url", { person_url: image.padEnd(2_000, "x") }]],
    refused: [["2001 characters in person_url", { person_url: image.padEnd(2_001, "x") }]],
  }),
  {
    id: "text.webhook_url.length",
    title: "Takes webhook_url as null and with 2000 characters, and no more than that",
    rules: ["request.webhook-url.max-length"],
    level: "safe",
    on: "any",
    credits: 32,
    async run(session) {
      await mustTake(session, "webhook_url null", { webhook_url: null });
      const hook = await hookAddress(session);
      if (hook !== undefined) {
        const fits = { webhook_url: hook.padEnd(2_000, "x") };
        await mustTake(session, "2000 characters in webhook_url", fits);
      }
      const tooLong = { webhook_url: (hook ?? nobody).padEnd(2_001, "x") };
      await mustRefuse(session, "2001 characters in webhook_url", tooLong);
    },
  },
];

/** An address for webhooks that can be made longer, if one is taken; without one nothing is to be sent to others. */
async function hookAddress(session: Session): Promise<string | undefined> {
  if (session.bench.receiver === undefined) return undefined;
  const { url } = session.hook();
  const answer = await session.submit({ webhook_url: url });
  return answer.status === 200 ? `${url}?x=` : undefined;
}
