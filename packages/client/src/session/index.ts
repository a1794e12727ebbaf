export { createTryOnSession } from "./create-try-on-session.ts";
export type {
  SessionError,
  Started,
  TryOnSession,
  TryOnSessionOptions,
  TryOnSnapshot,
} from "./types.ts";
