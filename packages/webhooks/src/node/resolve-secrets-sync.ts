import { isPromise } from "node:util/types";
import { secretsFailed, usableSecrets } from "../verification/secrets.ts";
import type { Secrets } from "../verification/secrets.ts";
import { WebhookError } from "../webhook-error.ts";

/** {@link Secrets}, or a function that gives them at once, anew at each call. */
export type SyncSecretSource = Secrets | (() => Secrets);

/** The secrets of a source that cannot be waited for. */
export function resolveSecretsSync(source: unknown): ReadonlyArray<string | undefined> {
  if (typeof source !== "function") return usableSecrets(source);
  let secrets: unknown;
  try {
    secrets = source();
    // Nobody waits for it any more, and a rejection that nobody takes would end the process.
    if (isPromise(secrets)) secrets.catch(() => {});
  } catch (cause) {
    throw secretsFailed(cause);
  }
  if (!isPromise(secrets)) return usableSecrets(secrets);
  throw new WebhookError(
    "invalid_secret",
    "The function `secrets` gave a promise. Use verify, which waits for it, or give the secrets at once.",
  );
}
