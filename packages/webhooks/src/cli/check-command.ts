import { Option, repeated, text, UsageError, type Command } from "@tryon/cli-kit";

import { explain, safeVerify } from "../index.ts";
import type { Explanation, Finding, VerifyOutcome, WebhookErrorCode } from "../index.ts";
import { readDelivery } from "./delivery-input.ts";
import {
  addCommonOptions,
  createReader,
  print,
  readSecretFiles,
  readSecrets,
  type CliContext,
} from "./input.ts";

export const addCheckOptions = (program: Command) =>
  addCommonOptions(program)
    .optionsGroup("Delivery:")
    .option("--body <file>", "body, byte for byte; - for stdin", text)
    .option("--header <line>", 'header such as "Name: value"; repeatable', repeated)
    .addOption(
      new Option("--request <file>", "file with an HTTP/1.1 request, instead of body and headers")
        .argParser(text)
        .conflicts(["body", "header"]),
    );

type CheckOptions = ReturnType<ReturnType<typeof addCheckOptions>["opts"]> & {
  readonly otherSecretFile?: readonly string[];
};

export async function runCheck(
  kind: "verify" | "explain",
  options: CheckOptions,
  context: CliContext,
): Promise<number> {
  const { body = "-", header = [], request, json, otherSecretFile } = options;
  if (options.body === undefined && request === undefined) {
    throw new UsageError(`${kind} needs --body with --header, or --request.`);
  }
  const read = createReader(context);
  const secrets = await readSecrets(options.secretFile, read, context);
  const otherSecrets = await readSecretFiles("other-secret-file", otherSecretFile, read);
  const delivery = { ...(await readDelivery(request, body, header, read)), secrets };
  const outcome =
    kind === "verify" ? await safeVerify(delivery) : await explain({ ...delivery, otherSecrets });
  print(context, json === true ? outcome : describe(outcome));
  return outcome.ok ? 0 : 1;
}

/** Adds the options of the command to messages about options of the library. */
const hints: Partial<Record<WebhookErrorCode, string>> = {
  invalid_secret: ` Here: TRYON_WEBHOOK_SECRET or --secret-file.`,
  missing_signature: " Here: --header or --request.",
};

function describe(outcome: VerifyOutcome | Explanation): string {
  if (outcome.ok) return `ok\n${JSON.stringify(outcome.event, null, 2)}`;
  const rejection = `${outcome.code}: ${outcome.message}${hints[outcome.code] ?? ""}`;
  if (!("findings" in outcome)) return rejection;
  return [rejection, ...outcome.findings.map(describeFinding)].join("\n\n");
}

function describeFinding({ cause, proven, message, fix }: Finding): string {
  const certainty = proven || cause === "nothing_fits" ? "" : "Perhaps: ";
  return `${certainty}${message} [${cause}]\n  ${fix}`;
}
