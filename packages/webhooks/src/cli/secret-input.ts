import { UsageError } from "@tryon/command-line";

import { isUsable } from "../verification/secrets.ts";
import type { CliContext } from "./context.ts";
import type { Input } from "./input.ts";

export const secretVariable = "TRYON_WEBHOOK_SECRET";

interface SecretOptions {
  readonly secret?: readonly string[];
  readonly secretFile?: readonly string[];
}

/** Reads the secrets of the options, or else the secret of the environment. */
export async function readSecrets(
  { secret = [], secretFile }: SecretOptions,
  input: Input,
  { environment }: Pick<CliContext, "environment">,
): Promise<ReadonlyArray<string | undefined>> {
  const secrets = [...secret, ...(await readSecretFiles("secret-file", secretFile, input))];
  return secrets.length > 0 ? secrets : [environment[secretVariable]];
}

/** Reads one secret per file, without the line break that an editor adds at the end. */
export async function readSecretFiles(
  flag: string,
  paths: readonly string[] | undefined,
  input: Input,
): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (const path of paths ?? [])
    secrets.push((await input.text(flag, path)).replace(/\r?\n$/, ""));
  return secrets;
}

/** Reads the secret to sign with. */
export async function readSecret(
  options: SecretOptions,
  input: Input,
  context: Pick<CliContext, "environment">,
): Promise<string> {
  const [secret, ...more] = await readSecrets(options, input, context);
  if (more.length > 0) throw new UsageError("Signing needs exactly one secret.");
  if (secret !== undefined && isUsable(secret)) return secret;
  throw new UsageError(
    `The secret is missing, blank, undefined or null. Set ${secretVariable} or use --secret-file.`,
  );
}
