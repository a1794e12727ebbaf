import { ConfigError } from "@tryon/client";

/** Why a journal cannot be used. `cause` is what the system said. */
export function trouble(message: string, hint: string, cause?: unknown): ConfigError {
  const error = new ConfigError("invalid_config", message, hint);
  // Not enumerable, so that it stays out of what the error gives to a log.
  if (cause !== undefined) Object.defineProperty(error, "cause", { value: cause });
  return error;
}

/** What the system calls a failure, such as `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
