import type { Admitted } from "./admit.ts";
import { bodyOf } from "./body-of.ts";
import { accountFields, pickFields, purchaseFields, type Forms } from "./contract-fields.ts";
import { listQuery, showList } from "./list.ts";
import type { ProxyOptions, ProxyUser } from "./options.ts";
import { noSuchJob } from "./refusal.ts";
import type { Bounds, Upstream } from "./settings.ts";
import { isWireJob, showJob, type View } from "./show-job.ts";
import type { Question } from "./upstream.ts";

/** What the service is asked, and what a visitor sees of a good answer; nothing when it is not one. */
interface Errand {
  readonly question: Question;
  readonly show: (content: unknown) => Promise<object | undefined>;
}

/** What visitors may do, and where it is done. */
export interface Rules<User extends ProxyUser> extends Pick<
  ProxyOptions<User>,
  "addFields" | "allow" | "exposeCredits"
> {
  readonly bounds: Bounds;
  readonly upstream: Upstream;
}

/** Makes of a request that was let in what the service is to be asked, or says why it is not asked. */
export async function errandOf<User extends ProxyUser>(
  id: string,
  { userId, call }: Admitted<User>,
  { bounds, upstream, exposeCredits = false, addFields, allow = {} }: Rules<User>,
): Promise<Errand | Response> {
  const { kind, idempotencyKey = "", request } = call;
  const { signal } = request;
  const { signer, redact } = upstream;
  const metadata = bounds.fields.has("metadata");
  const view: View = { userId, signer, redact, exposeCredits, metadata };
  if (kind === "get") {
    const jobId = await signer.readId("job", userId, id);
    if (jobId === undefined) return noSuchJob();
    return {
      question: { method: "GET", path: `/api/v1/tryon/${jobId}`, signal },
      show: async (job) =>
        isWireJob(job) && job.job_id === jobId ? showJob(job, view) : undefined,
    };
  }
  if (kind === "list") {
    const query = await listQuery(new URL(request.url).searchParams, userId, signer);
    if (query instanceof Response) return query;
    return {
      question: { method: "GET", path: `/api/v1/tryon${query}`, signal },
      show: (list) => showList(list, view),
    };
  }
  if (kind === "account") {
    return {
      question: { method: "GET", path: "/api/v1/account", signal },
      show: showFields(accountFields),
    };
  }
  // Without the signal: once these are sent they may be paid for, whether the visitor is still there or not.
  if (kind === "purchase") {
    const body = await bodyOf(request, kind, bounds);
    if (body instanceof Response) return body;
    return {
      question: { method: "POST", path: "/api/v1/credits/purchase", body },
      show: showFields(purchaseFields),
    };
  }
  const body = await bodyOf(request, kind, bounds, async () => ({
    added: await addFields?.(call),
    mark: allow.list === true ? await signer.userMark(userId) : undefined,
  }));
  if (body instanceof Response) return body;
  const key = await signer.idempotencyKey(userId, idempotencyKey);
  return {
    question: { method: "POST", path: "/api/v1/tryon", body, idempotencyKey: key },
    show: async (job) => (isWireJob(job) ? showJob(job, view) : undefined),
  };
}

function showFields(forms: Forms): Errand["show"] {
  return async (content) =>
    typeof content === "object" && content !== null ? pickFields(content, forms) : undefined;
}
