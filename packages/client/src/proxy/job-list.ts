import { errorResponse } from "./error-response.ts";
import type { Signer } from "./signer.ts";
import { isWireJob, toUserJob, userTagField, type JobView } from "./to-user-job.ts";

const statuses = new Set(["queued", "running", "succeeded", "failed"]);

/** Builds the query of a list request from known parameters; returns 400 if the cursor belongs to another user. */
export async function buildListQuery(
  params: URLSearchParams,
  userId: string,
  signer: Signer,
): Promise<string | Response> {
  const query = new URLSearchParams();
  const limit = params.get("limit");
  // The service checks the range.
  if (limit !== null) query.set("limit", String(Number.parseInt(limit, 10)));
  for (const name of ["status_filter", "status"]) {
    const status = params.get(name);
    if (status !== null && statuses.has(status)) query.set(name, status);
  }
  const signed = params.get("cursor");
  if (signed !== null) {
    const cursor = await signer.verifyId("cursor", userId, signed);
    if (cursor === undefined)
      return errorResponse(400, "cursor must be a next_cursor of this list.");
    query.set("cursor", cursor);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** Filters a page of all jobs of the API key for the jobs of one user. */
export async function toUserJobList(content: unknown, view: JobView): Promise<object | undefined> {
  const { jobs, next_cursor: next }: { jobs?: unknown; next_cursor?: unknown } = Object(content);
  if (!Array.isArray(jobs)) return undefined;
  const tag = await view.signer.userTag(view.userId);
  const own = jobs.filter((job: unknown) => isWireJob(job) && tagOf(job["metadata"]) === tag);
  return {
    jobs: await Promise.all(own.map((job) => toUserJob(job, view))),
    next_cursor:
      typeof next === "string" ? await view.signer.signId("cursor", view.userId, next) : null,
  };
}

function tagOf(metadata: unknown): unknown {
  const { [userTagField]: tag }: { [userTagField]?: unknown } = Object(metadata);
  return tag;
}
