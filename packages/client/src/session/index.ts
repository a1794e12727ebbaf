export { createTryOnSession } from "./create-try-on-session.ts";
export type { SessionError, TryOnSession, TryOnSessionOptions, TryOnSnapshot } from "./types.ts";
