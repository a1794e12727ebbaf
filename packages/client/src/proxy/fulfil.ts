import type { Outcome } from "../transport/attempt.ts";
import type { Admitted } from "./admit.ts";
import { bodyOf } from "./body-of.ts";
import type { ProxyKind, ProxyTrouble } from "./options.ts";
import { headersOf, passOn } from "./pass-on.ts";
import { answerJson, noSuchJob } from "./refusal.ts";
import type { Bounds, Upstream } from "./settings.ts";
import { isWireJob, showJob } from "./show-job.ts";
import { askService, type Question } from "./upstream.ts";

interface Settings {
  readonly bounds: Bounds;
  readonly upstream: Upstream;
  readonly exposeCredits: boolean;
}

/** What a request asks for, of the service. */
type Asked = { readonly question: Question; readonly jobId?: string } | Response;

/** Does what an admitted request asks for. */
export async function fulfil(
  request: Request,
  { kind, id }: { readonly kind: ProxyKind; readonly id: string },
  { user, key }: Admitted,
  { bounds, upstream, exposeCredits }: Settings,
  report: (trouble: ProxyTrouble) => void,
): Promise<Response> {
  const { signer, redact, clock } = upstream;
  const ask = async (): Promise<Asked> => {
    const { signal } = request;
    if (kind === "account") return { question: { method: "GET", path: "/api/v1/account", signal } };
    if (kind === "get") {
      const jobId = await signer.readJobId(user, id);
      if (jobId === undefined) return noSuchJob();
      return { question: { method: "GET", path: `/api/v1/tryon/${jobId}`, signal }, jobId };
    }
    const body = await bodyOf(request, kind, bounds);
    if (body instanceof Response) return body;
    if (kind === "purchase") {
      return { question: { method: "POST", path: "/api/v1/credits/purchase", body } };
    }
    const idempotencyKey = await signer.idempotencyKey(user, key);
    return { question: { method: "POST", path: "/api/v1/tryon", body, idempotencyKey } };
  };
  const asked = await ask();
  if (asked instanceof Response) return asked;
  const outcome: Outcome = await askService(upstream, asked.question);
  const { answer } = outcome;
  const now = clock.now();
  if (answer && answer.status >= 200 && answer.status < 300) {
    const { content } = answer;
    if (kind === "account" || kind === "purchase") {
      if (typeof content === "object" && content !== null) {
        return answerJson(200, content, headersOf(answer, now));
      }
    } else if (isWireJob(content) && content.job_id === (asked.jobId ?? content.job_id)) {
      const metadata = bounds.fields.has("metadata");
      const job = await showJob(content, { user, signer, exposeCredits, metadata });
      return answerJson(200, job, headersOf(answer, now));
    }
  }
  const { response, trouble } = passOn(outcome, { kind, redact, now });
  if (trouble !== undefined) {
    report({ message: trouble, user, status: answer?.status });
  }
  return response;
}
