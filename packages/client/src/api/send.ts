import { maxSyncWait } from "../config/options.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { Answer } from "../http/response.ts";
import { errorOf, type Ended } from "../http/response-error.ts";
import type { Outgoing } from "../http/attempt.ts";
import { travel, type Journey } from "../http/send-with-retries.ts";

/** A request to the service, and what its errors say. */
interface Parcel
  extends
    Pick<Ended, "name" | "purpose" | "submission">,
    Pick<Journey, "deadline" | "trail" | "onRetry"> {
  readonly request: Omit<Outgoing, "timeout">;
  /** Whether the service is asked to hold the answer. */
  readonly held?: boolean;
}

/** Sends a request to the service, and gives the answer that `accepts` likes. Throws the error for any other. */
export async function send(
  settings: Settings,
  accepts: (answer: Answer) => boolean,
  parcel: Parcel,
): Promise<Answer> {
  const { deadline, request, held } = parcel;
  request.headers["Accept"] = "application/json";
  const timeout = settings.attemptTimeout + (held ? maxSyncWait : 0);
  const outcome = await travel({ ...parcel, request: { ...request, timeout } }, settings);
  const { answer } = outcome;
  if (answer && accepts(answer)) {
    deadline.answer ??= answer;
    return answer;
  }
  throw errorOf(outcome, parcel, settings);
}
