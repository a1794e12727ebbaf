import { isUsable } from "../verification/secrets.ts";
import type { SecretFlags } from "./arguments.ts";
import { UsageError } from "./flags.ts";
import type { Input } from "./input.ts";
import type { CliContext } from "./context.ts";

const secretVariable = "TRYON_WEBHOOK_SECRET";

/** The secrets of the flags, or the one of the environment where no flag gives any. */
export async function readSecrets(
  { secrets, secretFiles }: SecretFlags,
  input: Input,
  { environment }: Pick<CliContext, "environment">,
): Promise<ReadonlyArray<string | undefined>> {
  const given = [...secrets, ...(await readSecretFiles("secret-file", secretFiles, input))];
  return given.length > 0 ? given : [environment[secretVariable]];
}

/** One secret a file; a line break at its end is the editor's, and anything else is not. */
export async function readSecretFiles(
  flag: string,
  paths: readonly string[],
  input: Input,
): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (const path of paths) secrets.push((await input.text(flag, path)).replace(/\r?\n$/, ""));
  return secrets;
}

/** The one secret to sign with. */
export async function readSecret(
  flags: SecretFlags,
  input: Input,
  surroundings: Pick<CliContext, "environment">,
): Promise<string> {
  const [secret, ...more] = await readSecrets(flags, input, surroundings);
  if (more.length > 0) throw new UsageError("There is more than one secret; signing takes one.");
  if (secret !== undefined && isUsable(secret)) return secret;
  throw new UsageError(
    `There is no secret, or it is blank, undefined or null; set ${secretVariable} or give --secret-file.`,
  );
}
