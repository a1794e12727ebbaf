export { createTryOnSession } from "./create-try-on-session.ts";
export { resetAll } from "./reset-all.ts";
export type {
  SessionError,
  Started,
  TryOnSession,
  TryOnSessionOptions,
  TryOnSnapshot,
} from "./types.ts";
