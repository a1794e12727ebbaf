import { ConfigError } from "@tryon/client";

/** Creates the error of a journal that cannot be used. `cause` is the error of the system. */
export function journalError(message: string, hint: string, cause?: unknown): ConfigError {
  const error = new ConfigError("invalid_config", message, hint);
  // Not enumerable, so that logs omit it.
  if (cause !== undefined) Object.defineProperty(error, "cause", { value: cause });
  return error;
}

/** Returns the code of a system error, such as `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
