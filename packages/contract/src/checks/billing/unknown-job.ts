import type { Session } from "../../session.ts";

/** The id of a job that nobody has. */
export function unknownJob(session: Session): string {
  return `job_${session.unique().replaceAll(/[^a-zA-Z0-9]/g, "")}`;
}
