import { WebhookError } from "../webhook-error.ts";

/** One secret, or several while one is being replaced. `undefined` entries are skipped. */
export type Secrets = string | undefined | ReadonlyArray<string | undefined>;

/** {@link Secrets}, or a function that gives them anew at each call. */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>);

/**
 * Gives the secrets as a list, positions kept, so that the second of two is the second even while
 * the first is not set. Refuses blank ones, and the texts `undefined` and `null` that unset variables
 * become: anyone can make an HMAC with these keys.
 */
export function usableSecrets(secrets: unknown): ReadonlyArray<string | undefined> {
  const list: unknown[] = Array.isArray(secrets) ? [...secrets] : [secrets];
  if (list.every(isUsable) && list.some((secret) => secret !== undefined)) return list;
  throw new WebhookError(
    "invalid_secret",
    "A secret is missing, blank, no string, `undefined` or `null`. Set `secrets` or its environment variable.",
  );
}

/** The same for a source, which may be a function. */
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

/** Accepts a secret, or an entry to skip, and neither blank text nor what an unset variable becomes. */
export function isUsable(secret: unknown): secret is string | undefined {
  if (typeof secret !== "string") return secret === undefined;
  return !/^(undefined|null|)$/.test(secret.trim());
}
