import type { TryOnJobStatus, TryOnSubmitResponse } from "@tryon/spec/openapi";
import type { Options } from "../options.ts";
import type { SubmitResponse } from "../service/first-responses.ts";
import type { JobPage } from "../service/jobs.ts";
import type { Service } from "../service/service.ts";
import { badRequest } from "../service/service-error.ts";
import type { JobRecord } from "../store/records.ts";
import { formatTime } from "../system/date.ts";
import type { HttpRequest } from "./message.ts";
import { json, proxyPage } from "./responses.ts";
import type { Router } from "./router.ts";
import { InvalidInput, problemAt, validate } from "./validation.ts";
import { withKey, type RouteContext } from "./with-key.ts";

export function addTryOnRoutes(router: Router, routes: RouteContext): void {
  const { service, schemas, journal } = routes;
  const { options } = service;
  const { clock } = routes.system;

  router.add(
    "POST",
    "/api/v1/tryon",
    withKey(routes, async ({ key, request, body: readBody }) => {
      const body = await readBody();
      const idempotencyKey = request.headers.get("idempotency-key") || undefined;
      const parts = { header: { "Idempotency-Key": idempotencyKey }, body };
      const { body: fields } = validate(schemas().submission, parts, options);
      journal.note(request, { fields });
      const submit = async (): Promise<SubmitResponse> => {
        const { origin } = request;
        const sent = { keyId: key.id, fields, body, idempotencyKey, origin };
        const submitted = await service.submissions.submit(sent);
        journal.note(request, { jobId: submitted.job.id, replayed: submitted.replayed });
        return submitted;
      };
      const { syncCut } = options;
      // A proxy ends the request first. The submission goes on.
      const submitted = await (syncCut === "off"
        ? submit()
        : clock.within(syncCut * 1_000, () => clock.during(submit)));
      if (submitted === undefined) return proxyPage(504, "Gateway Time-out");
      const replayed = submitted.replayed && options.replayHeader;
      const headers = replayed ? { "idempotent-replayed": "true" } : {};
      return json(submitView(service, submitted), 200, headers);
    }),
  );

  router.add(
    "GET",
    "/api/v1/tryon",
    withKey(routes, async ({ key, request }) => {
      const query = readListQuery(request, routes);
      const page =
        (await service.jobs.list(key.id, query)) ?? unknownCursorPage(query.cursor, options);
      const jobs = page.jobs.map((job) => jobView(service, job));
      return json({ jobs, next_cursor: page.nextCursor });
    }),
  );

  router.add(
    "GET",
    "/api/v1/tryon/:job_id",
    withKey(routes, async ({ key, part }) => {
      const job = await service.jobs.get(key.id, part);
      return json(jobView(service, job));
    }),
  );
}

/** A filter under a name that the option `filterName` leaves out is unknown. @throws InvalidInput */
function readListQuery(
  { search }: HttpRequest,
  { service: { options }, schemas }: RouteContext,
): Parameters<Service["jobs"]["list"]>[1] {
  const searchParams = new URLSearchParams(search);
  const { filterName } = options;
  const filters = filterName === "both" ? ["status_filter", "status"] : [filterName];
  const filter = filters.find((name) => searchParams.has(name)) ?? filterName;
  const sent = {
    limit: searchParams.get("limit") ?? undefined,
    cursor: searchParams.get("cursor") || undefined,
    [filter]: searchParams.get(filter) ?? undefined,
  };
  const { query } = validate(schemas().list, { query: sent }, options);
  const { limit, cursor, status_filter, status = status_filter } = query;
  return { limit, cursor, status };
}

function unknownCursorPage(cursor: string | undefined, options: Options): JobPage {
  if (options.unknownCursor === "empty") return { jobs: [], nextCursor: null };
  const msg = "unknown; pass the next_cursor of the previous page, or omit it for the first page.";
  if (options.unknownCursor === 400) return badRequest(`cursor: ${msg}`, "list.cursor.unknown");
  throw new InvalidInput([
    problemAt(["query", "cursor"], { type: "value_error", msg }, cursor, options),
  ]);
}

function jobView(service: Service, job: JobRecord): TryOnJobStatus {
  const { options, results, jobs } = service;
  const { result } = job;
  return {
    job_id: job.id,
    status: job.status,
    result_url: result && !jobs.isPurged(job) ? results.sign(job, service.now()) : null,
    result_width: result?.width ?? null,
    result_height: result?.height ?? null,
    result_bytes: result?.length ?? null,
    result_content_type: result === null ? null : "image/png",
    seed: job.seed,
    metadata: job.metadata,
    error_code: job.errorCode,
    error_message: job.errorMessage,
    cost_credits: job.costCredits,
    duration_ms: job.durationMs,
    created_at: formatTime(job.createdAt, options.timeFormat),
    completed_at: job.completedAt === null ? null : formatTime(job.completedAt, options.timeFormat),
  };
}

function submitView(service: Service, submitted: SubmitResponse): Partial<TryOnSubmitResponse> {
  const { job, response } = submitted;
  const { status } = response;
  const succeeded = status === "succeeded" && job.result !== null;
  const view: Required<TryOnSubmitResponse> = {
    job_id: job.id,
    status,
    result_url: succeeded ? service.results.sign(job, service.now()) : null,
    cost_credits: job.costCredits,
    credits_remaining: submitted.creditsRemaining,
    seed: job.seed,
    metadata: job.metadata,
    test_mode: job.testMode,
    error_code: response.errorCode,
    error_message: response.errorMessage,
    message: response.message,
  };
  return service.options.sparseSubmit ? sparse(view) : view;
}

function sparse(response: Required<TryOnSubmitResponse>): Partial<TryOnSubmitResponse> {
  const { job_id, status } = response;
  if (status === "failed") {
    const { error_code, error_message } = response;
    return { job_id, status, error_code, error_message };
  }
  if (status === "succeeded") {
    const { result_url, cost_credits, credits_remaining } = response;
    return { job_id, status, result_url, cost_credits, credits_remaining };
  }
  return response.message ? { job_id, status, message: response.message } : { job_id, status };
}
