import { WebhookError } from "../webhook-error.ts";

/** Secret, or several during a replacement. `undefined` entries are skipped. */
export type Secrets = string | undefined | ReadonlyArray<string | undefined>;

/** {@link Secrets}, or a function that returns them for each delivery. */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>);

/**
 * Returns the secrets as an array with unchanged indexes, also if the first one is not set. Rejects
 * blank secrets, and the texts `undefined` and `null` of unset variables, because anyone can
 * compute an HMAC with these keys.
 */
export function usableSecrets(secrets: unknown): ReadonlyArray<string | undefined> {
  const list: unknown[] = Array.isArray(secrets) ? [...secrets] : [secrets];
  if (list.every(isUsable) && list.some((secret) => secret !== undefined)) return list;
  throw new WebhookError(
    "invalid_secret",
    "A secret is missing, blank, not a string, `undefined` or `null`. Set `secrets` or its environment variable.",
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

export function isUsable(secret: unknown): secret is string | undefined {
  if (typeof secret !== "string") return secret === undefined;
  return !/^(undefined|null|)$/.test(secret.trim());
}
