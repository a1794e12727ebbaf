import { isJobId } from "../api/api.ts";
import type { Redact } from "../errors/redact.ts";
import { jobFields, pickFields } from "./contract-fields.ts";
import type { Signer } from "./signer.ts";

/** Fields of free text, in which the service can repeat parts of its request. */
const textFields = new Set<string>(["error_code", "error_message", "message"]);

/** Metadata field with the tag of a job's user. */
export const userTagField = "_tryon_user";

/** User of a response, and the fields that the user may see. */
export interface JobView {
  readonly userId: string;
  readonly signer: Signer;
  readonly redact: Redact;
  readonly exposeCredits: boolean;
  readonly metadata: boolean;
}

/** Job in a response of the service. */
export type WireJob = Readonly<Record<string, unknown>> & {
  readonly job_id: string;
  readonly status: string;
};

export function isWireJob(content: unknown): content is WireJob {
  const { job_id: id, status }: { job_id?: unknown; status?: unknown } = Object(content);
  return isJobId(id) && typeof status === "string";
}

/**
 * Converts a job for its user: with the fields that the user may see, under an id that is signed for the user. The image
 * URL is unchanged, even if it contains the service's own id: that id is of no use without the API key.
 */
export async function toUserJob(job: WireJob, view: JobView): Promise<Record<string, unknown>> {
  const { job_id: id } = job;
  const signedId = await view.signer.signId("job", view.userId, id);
  const { cost_credits, credits_remaining, metadata, ...rest } = pickFields(job, jobFields);
  const visible = {
    ...rest,
    ...(view.exposeCredits && { cost_credits, credits_remaining }),
    ...(view.metadata && { metadata: withoutUserTag(metadata) }),
  };
  const entries = Object.entries(visible).map(([name, value]) => {
    if (typeof value !== "string" || name === "result_url") return [name, value];
    const text = textFields.has(name) ? view.redact(value) : value;
    return [name, text.replaceAll(id, signedId)];
  });
  return { ...Object.fromEntries(entries), job_id: signedId };
}

/** Removes the user tag from metadata; returns null if nothing else is in it. */
export function withoutUserTag(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null) return metadata;
  const { [userTagField]: tag, ...rest }: Record<string, unknown> = { ...metadata };
  return tag !== undefined && Object.keys(rest).length === 0 ? null : rest;
}
