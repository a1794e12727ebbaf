import { explain, safeVerify } from "../index.ts";
import type { Explanation, Finding, VerifyOutcome, WebhookErrorCode } from "../index.ts";
import type { CheckCommand } from "./arguments.ts";
import { readDelivery } from "./delivery-input.ts";
import { Input } from "./input.ts";
import { printable } from "./printable.ts";
import { readSecretFiles, readSecrets } from "./secret-input.ts";
import type { CliContext } from "./context.ts";

/**
 * Verifies a delivery that was kept, or explains it.
 *
 * @returns the exit code: 0 when the delivery is right.
 */
export async function runCheck(command: CheckCommand, around: CliContext): Promise<number> {
  const input = new Input(around);
  const secrets = await readSecrets(command, input, around);
  const otherSecrets = await readSecretFiles("other-secret-file", command.otherSecretFiles, input);
  const delivery = await readDelivery(command, input);
  const outcome =
    command.kind === "verify"
      ? await safeVerify({ ...delivery, secrets })
      : await explain({ ...delivery, secrets, otherSecrets });
  const text = command.json ? JSON.stringify(outcome) : inWords(outcome);
  around.stdout.write(`${printable(text)}\n`);
  return outcome.ok ? 0 : 1;
}

/** What the messages, which speak of options and requests, come down to at a terminal. */
const hints: Partial<Record<WebhookErrorCode, string>> = {
  invalid_secret: " Here: TRYON_WEBHOOK_SECRET or --secret-file.",
  missing_signature: " Here: --header, --headers or --request.",
};

function inWords(outcome: VerifyOutcome | Explanation): string {
  if (outcome.ok) return `ok\n${JSON.stringify(outcome.event, null, 2)}`;
  const refusal = `${outcome.code}: ${outcome.message}${hints[outcome.code] ?? ""}`;
  if (!("findings" in outcome)) return refusal;
  return [refusal, ...outcome.findings.map(findingInWords)].join("\n\n");
}

function findingInWords({ cause, proven, message, fix }: Finding): string {
  const sureness = proven ? "" : cause === "nothing_fits" ? "" : "Perhaps: ";
  return `${sureness}${message} [${cause}]\n  ${fix}`;
}
