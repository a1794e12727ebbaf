import { isJobId } from "../api/service.ts";
import type { Redact } from "../http/redact.ts";
import { jobFields, pickFields } from "./contract-fields.ts";
import type { Signer } from "./signer.ts";

/** What the service says in words, in which it may repeat what it was sent. */
const words = new Set<string>(["error_code", "error_message", "message"]);

/** The field of the metadata that says whose a job is. */
export const userField = "_tryon_user";

/** How a visitor sees jobs. */
export interface View {
  readonly userId: string;
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
  const signed = await view.signer.signId("job", view.userId, id);
  const { cost_credits, credits_remaining, metadata, ...rest } = pickFields(job, jobFields);
  const shown = {
    ...rest,
    ...(view.exposeCredits && { cost_credits, credits_remaining }),
    ...(view.metadata && { metadata: withoutUserField(metadata) }),
  };
  const entries = Object.entries(shown).map(([name, value]) => {
    if (typeof value !== "string" || name === "result_url") return [name, value];
    return [name, (words.has(name) ? view.redact(value) : value).replaceAll(id, signed)];
  });
  return { ...Object.fromEntries(entries), job_id: signed };
}

/** The metadata without the field that says whose job it is; null if nothing else is in it. */
export function withoutUserField(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return metadata;
  const { [userField]: mark, ...rest }: Record<string, unknown> = { ...metadata };
  return mark !== undefined && Object.keys(rest).length === 0 ? null : rest;
}
