import { isJobId } from "../transport/service.ts";
import type { Redact } from "../transport/redact.ts";
import type { Signer } from "./signer.ts";

/** What visitors see of a job. Fields that a later service adds are not among them before they are added here. */
const shown = [
  "status",
  "result_url",
  "result_width",
  "result_height",
  "result_bytes",
  "result_content_type",
  "seed",
  "test_mode",
  "error_code",
  "error_message",
  "message",
  "duration_ms",
  "created_at",
  "completed_at",
] as const;
/** What the service says in words, in which it may repeat what it was sent. */
const words = new Set<string>(["error_code", "error_message", "message"]);
const credits = ["cost_credits", "credits_remaining"] as const;

/** The field of the metadata that says whose a job is. */
export const userField = "_tryon_user";

/** How a visitor sees jobs. */
export interface View {
  readonly user: string;
  readonly signer: Signer;
  readonly redact: Redact;
  readonly exposeCredits: boolean;
  readonly metadata: boolean;
}

/** A job as the service tells it. */
export type WireJob = Readonly<Record<string, unknown>> & {
  readonly job_id: string;
  readonly status: string;
};

export function isWireJob(content: unknown): content is WireJob {
  const { job_id: id, status }: { job_id?: unknown; status?: unknown } = Object(content);
  return isJobId(id) && typeof status === "string";
}

/**
 * The job as its visitor may see it, under the id that is signed for that visitor. The address of the picture stays as it
 * is, also where the service's own id is part of it: without the key, that id opens nothing.
 */
export async function showJob(job: WireJob, view: View): Promise<Record<string, unknown>> {
  const { job_id: id } = job;
  const signed = await view.signer.signId("job", view.user, id);
  const names: readonly string[] = [
    ...shown,
    ...(view.exposeCredits ? credits : []),
    ...(view.metadata ? ["metadata"] : []),
  ];
  const rest = names
    .filter((name) => job[name] !== undefined)
    .map((name) => {
      const told = words.has(name) && typeof job[name] === "string";
      const own = told ? view.redact(job[name]) : job[name];
      const value = name === "metadata" ? withoutMark(own) : own;
      const speaks = typeof value === "string" && name !== "result_url";
      return [name, speaks ? value.replaceAll(id, signed) : value];
    });
  return { job_id: signed, ...Object.fromEntries(rest) };
}

function withoutMark(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return metadata;
  const { [userField]: mark, ...rest }: Record<string, unknown> = { ...metadata };
  return mark !== undefined && Object.keys(rest).length === 0 ? null : rest;
}
