import { refuse } from "./refusal.ts";
import { isWireJob, showJob, userField, type View } from "./show-job.ts";
import type { Signer } from "./signer.ts";

const statuses = new Set(["queued", "running", "succeeded", "failed"]);

/** The query of a list, of what is allowed in one; a cursor is good only for the user who got it. */
export async function listQuery(
  asked: URLSearchParams,
  userId: string,
  signer: Signer,
): Promise<string | Response> {
  const query = new URLSearchParams();
  const limit = asked.get("limit");
  // What bounds it has is for the service to say.
  if (limit !== null) query.set("limit", String(Number.parseInt(limit, 10)));
  for (const name of ["status_filter", "status"]) {
    const status = asked.get(name);
    if (status !== null && statuses.has(status)) query.set(name, status);
  }
  const signed = asked.get("cursor");
  if (signed !== null) {
    const cursor = await signer.readId("cursor", userId, signed);
    if (cursor === undefined) return refuse(400, "cursor is not one that this list gave.");
    query.set("cursor", cursor);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** The jobs of a page of the key's list that are the visitor's own. */
export async function showList(content: unknown, view: View): Promise<object | undefined> {
  const { jobs, next_cursor: next }: { jobs?: unknown; next_cursor?: unknown } = Object(content);
  if (!Array.isArray(jobs)) return undefined;
  const mark = await view.signer.userMark(view.userId);
  const own = jobs.filter((job: unknown) => isWireJob(job) && markOf(job["metadata"]) === mark);
  return {
    jobs: await Promise.all(own.map((job) => showJob(job, view))),
    next_cursor:
      typeof next === "string" ? await view.signer.signId("cursor", view.userId, next) : null,
  };
}

function markOf(metadata: unknown): unknown {
  const { [userField]: mark }: { [userField]?: unknown } = Object(metadata);
  return mark;
}
