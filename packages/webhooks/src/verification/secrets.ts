import { WebhookError } from "../webhook-error.ts";

/** One secret, or several while one is being replaced. `undefined` entries are skipped. */
export type Secrets = string | undefined | ReadonlyArray<string | undefined>;

/** {@link Secrets}, or a function that gives them anew at each call. */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>);

/**
 * Gives the secrets as a list, positions kept, so that the second of two is the second even while
 * the first is not set. Refuses blank ones: an HMAC with an empty key is one that anybody can make.
 */
export function usableSecrets(secrets: unknown): ReadonlyArray<string | undefined> {
  const list: unknown[] = Array.isArray(secrets) ? [...secrets] : [secrets];
  if (list.every(isUsable) && list.some((secret) => secret !== undefined)) return list;
  throw new WebhookError(
    "invalid_secret",
    "A secret is missing, blank or no string. Set `secrets`, or the environment variable it reads.",
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

function isUsable(secret: unknown): secret is string | undefined {
  return secret === undefined || (typeof secret === "string" && /\S/.test(secret));
}
