import { explain, safeVerify } from "../index.ts";
import type { Explanation, Finding, VerifyOutcome, WebhookErrorCode } from "../index.ts";
import type { CheckCommand } from "./program.ts";
import { readDelivery } from "./delivery-input.ts";
import { Input } from "./input.ts";
import { printable } from "./printable.ts";
import { readSecretFiles, readSecrets } from "./secret-input.ts";
import type { CliContext } from "./context.ts";

/**
 * Verifies or explains a delivery in files.
 *
 * @returns the exit code: 0 if the delivery is valid.
 */
export async function runCheck(command: CheckCommand, context: CliContext): Promise<number> {
  const input = new Input(context);
  const secrets = await readSecrets(command, input, context);
  const otherSecrets = await readSecretFiles("other-secret-file", command.otherSecretFile, input);
  const delivery = await readDelivery(command, input);
  const outcome =
    command.kind === "verify"
      ? await safeVerify({ ...delivery, secrets })
      : await explain({ ...delivery, secrets, otherSecrets });
  const text = command.json === true ? JSON.stringify(outcome) : describe(outcome);
  context.stdout.write(`${printable(text)}\n`);
  return outcome.ok ? 0 : 1;
}

/** Adds the options of the command to messages about options of the library. */
const hints: Partial<Record<WebhookErrorCode, string>> = {
  invalid_secret: " Here: TRYON_WEBHOOK_SECRET or --secret-file.",
  missing_signature: " Here: --header, --headers or --request.",
};

function describe(outcome: VerifyOutcome | Explanation): string {
  if (outcome.ok) return `ok\n${JSON.stringify(outcome.event, null, 2)}`;
  const refusal = `${outcome.code}: ${outcome.message}${hints[outcome.code] ?? ""}`;
  if (!("findings" in outcome)) return refusal;
  return [refusal, ...outcome.findings.map(describeFinding)].join("\n\n");
}

function describeFinding({ cause, proven, message, fix }: Finding): string {
  const sureness = proven ? "" : cause === "nothing_fits" ? "" : "Perhaps: ";
  return `${sureness}${message} [${cause}]\n  ${fix}`;
}
