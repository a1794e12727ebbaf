import { credentialProblem, type CredentialProblem } from "@tryon/shared/credential";

import { WebhookError } from "../webhook-error.ts";

/** Secret, or several during a replacement. `undefined` entries are skipped. */
export type Secrets = string | undefined | ReadonlyArray<string | undefined>;

/** {@link Secrets}, or a function that returns them for each delivery. */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>);

const problems: Readonly<Record<CredentialProblem, string>> = {
  blank:
    "is missing, blank, not a string, `undefined` or `null`. If a build without the secret loads this file, pass a function: `() => process.env.TRYON_WEBHOOK_SECRET`. Otherwise set",
  quoted: "has quotes around it. Remove them from",
  spaced: "contains white space. Pass several as an array, or correct",
};

/**
 * Returns the secrets as an array with unchanged indexes, also if the first one is not set, and without the white space
 * around them.
 *
 * @throws `invalid_secret` if none is set, or one cannot be a secret
 */
export function usableSecrets(secrets: unknown): ReadonlyArray<string | undefined> {
  const list: unknown[] = Array.isArray(secrets) ? [...secrets] : [secrets];
  const isSet = list.some((secret) => secret !== undefined);
  const problem = isSet ? list.map(problemOf).find((one) => one !== undefined) : "blank";
  // Without a problem, each one is a string or undefined.
  if (!problem) return (list as Array<string | undefined>).map((secret) => secret?.trim());
  throw new WebhookError(
    "invalid_secret",
    `A secret ${problems[problem]} \`secrets\` or its environment variable.`,
  );
}

export async function resolveSecrets(source: unknown): Promise<ReadonlyArray<string | undefined>> {
  if (typeof source !== "function") return usableSecrets(source);
  let secrets: unknown;
  try {
    secrets = await source();
  } catch (cause) {
    throw secretsFailed(cause);
  }
  return usableSecrets(secrets);
}

export function secretsFailed(cause: unknown): WebhookError {
  return new WebhookError("invalid_secret", "The function `secrets` failed. See the cause.", {
    cause,
  });
}

export function problemOf(secret: unknown): CredentialProblem | undefined {
  if (secret === undefined) return undefined;
  return typeof secret === "string" ? credentialProblem(secret.trim()) : "blank";
}
