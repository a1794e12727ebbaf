import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  isList,
  isPoll,
  isSubmit,
  jobIdIn,
  jobIdOf,
  mutated,
  withFields,
  type MutatedRequest,
} from "../mutated-responses.ts";
import { mutant, type Mutant } from "../mutant.ts";

const list = "Endpoints / GET /api/v1/tryon";
const page = "Resources and their fields / TryOnListResponse";
const semantics = "Semantics 7";
const states = "States and transitions";

/** Mutants in synchronous requests. */
const syncMutants: readonly Mutant[] = [
  mutant(
    "Errors",
    "responds with 500 when the job of a synchronous request fails",
    "failure.sync",
    mutated(() => async (request) => {
      const response = await request.send();
      if (!isSubmit(request)) return response;
      if (fieldsOf(await response.clone().json())["status"] !== "failed") return response;
      return Response.json({ detail: "The model has failed." }, { status: 500 });
    }),
  ),
  mutant(
    states,
    "waits a minute for every synchronous request",
    "sync.waits",
    mutated((mock) => async (request) => {
      const from = mock.clock.now();
      const response = await request.send();
      if (isSync(request)) await mock.clock.sleep(55_000 - (mock.clock.now() - from));
      return response;
    }),
  ),
  mutant(
    "Limits",
    "ends a synchronous request after 60 seconds",
    "sync.limit",
    mutated((mock) => async (request) => {
      if (!isSync(request)) return request.send();
      const limit = mock.clock.sleep(60_000).then(() => undefined);
      const response = await Promise.race([request.send(), limit]);
      if (response !== undefined) return response;
      const headers = { authorization: `Bearer ${request.token}` };
      const newest = await mock.fetch(`${request.url.href}?limit=1`, { headers });
      const [job] = jobsOf(fieldsOf(await newest.json()));
      const { job_id: jobId, cost_credits: cost } = fieldsOf(job);
      const message = `Poll GET /api/v1/tryon/${String(jobId)}.`;
      return Response.json({ job_id: jobId, status: "running", cost_credits: cost, message });
    }),
  ),
  mutant(
    states,
    "fails the job at the limit of a synchronous request",
    "sync.limit.job-continues",
    mutated(() => {
      const dropped = new Set<string>();
      const failed = {
        status: "failed",
        error_code: "generation_failed",
        error_message: "timeout",
      };
      return async (request) => {
        const response = await request.send();
        if (isSubmit(request)) {
          const fields = fieldsOf(await response.clone().json());
          if (fields["message"]) dropped.add(String(fields["job_id"]));
        }
        const isDropped = isPoll(request) && dropped.has(jobIdIn(request));
        return isDropped ? withFields(response, () => failed) : response;
      };
    }),
  ),
];

/** Mutants in which job a poll returns, and to which key. */
const pollMutants: readonly Mutant[] = [
  mutant(
    semantics,
    "moves a running job back to queued",
    "states.never-back",
    mutated(() => {
      const polled = new Set<string>();
      return async (request) => {
        const response = await request.send();
        if (!isPoll(request) || polled.has(jobIdIn(request))) return response;
        polled.add(jobIdIn(request));
        return withFields(response, ({ status }) =>
          status === "running" ? { status: "queued" } : {},
        );
      };
    }),
  ),
  mutant(
    "Endpoints / GET /api/v1/tryon/{job_id}",
    "responds to a poll with the newest job of the key",
    "poll.own-id",
    mutated(() => {
      const newest = new Map<string, string>();
      return async (request) => {
        const jobId = newest.get(request.token);
        if (isPoll(request) && jobId !== undefined) {
          return request.send({ url: new URL(`/api/v1/tryon/${jobId}`, request.url) });
        }
        const response = await request.send();
        if (isSubmit(request)) newest.set(request.token, await jobIdOf(response));
        return response;
      };
    }),
  ),
  mutant(
    "Errors",
    "responds with 403 for an unknown job",
    "poll.unknown",
    mutated(() => {
      const known = new Set<string>();
      return async (request) => {
        const response = await request.send();
        if (isSubmit(request)) known.add(await jobIdOf(response));
        if (!isPoll(request) || known.has(jobIdIn(request))) return response;
        return Response.json({ detail: "Not your job." }, { status: 403 });
      };
    }),
  ),
  mutant(
    semantics,
    "returns a job to every key",
    "poll.other-key",
    mutated(() => {
      const owners = new Map<string, string>();
      return async (request) => {
        const response = await request.send();
        if (isSubmit(request)) owners.set(await jobIdOf(response), request.token);
        const token = isPoll(request) ? owners.get(jobIdIn(request)) : undefined;
        return token === undefined ? response : request.send({ token });
      };
    }),
  ),
  mutant(
    semantics,
    "sends no webhooks for test keys",
    "test-key.job",
    mutated(() => (request) => {
      const { body, token } = request;
      const drops = isSubmit(request) && token.startsWith("svc_test_") && "webhook_url" in body;
      return drops ? request.send({ body: { ...body, webhook_url: null } }) : request.send();
    }),
  ),
];

/** Mutants in the list of jobs and its pages. */
const listMutants: readonly Mutant[] = [
  mutant(
    page,
    "lists the oldest job of a page first",
    "list.newest-first",
    pages((fields) => ({
      jobs: jobsOf(fields).toReversed(),
    })),
  ),
  mutant(
    page,
    "omits the duration of a job in the list",
    "list.as-polled",
    pages((fields) => ({
      jobs: jobsOf(fields).map((job) => ({ ...fieldsOf(job), duration_ms: null })),
    })),
  ),
  mutant(
    list,
    "loses a job between two pages",
    "list.paging.whole",
    pages((fields, { url }) =>
      url.searchParams.has("cursor") ? { jobs: jobsOf(fields).slice(1) } : {},
    ),
  ),
  mutant(
    page,
    "has a cursor on the last page",
    "list.paging.end",
    pages((fields) => ({
      next_cursor: fields["next_cursor"] ?? idOf(jobsOf(fields).at(-1)) ?? null,
    })),
  ),
  mutant(
    semantics,
    "counts pages from the newest job, so that one is listed twice when a job is added",
    "list.paging.inserts",
    mutated(() => {
      const offsets = new Map<string, number>();
      return async (request) => {
        if (!isList(request)) return request.send();
        const cursor = request.url.searchParams.get("cursor") ?? "";
        const offset = offsets.get(cursor) ?? 0;
        if (cursor !== "" && offset === 0) return request.send();
        const limit = Number(request.url.searchParams.get("limit") ?? 20);
        const query = offset > 0 ? { cursor: null, limit: "100" } : { cursor: null };
        return withFields(await request.send({ url: withQuery(request, query) }), (fields) => {
          const jobs = jobsOf(fields);
          const end = Math.min(jobs.length, offset + limit);
          const more = offset > 0 ? jobs.length > end : fields["next_cursor"] !== null;
          const next = more ? String(idOf(jobs[end - 1])) : null;
          if (next !== null) offsets.set(next, end);
          return { jobs: jobs.slice(offset, end), next_cursor: next };
        });
      };
    }),
  ),
  mutant(
    list,
    "loses a job of the next page when one is added",
    "list.paging.inserts",
    mutated(() => {
      const newest = new Map<string, unknown>();
      return async (request) => {
        if (!isList(request)) return request.send();
        const cursor = request.url.searchParams.get("cursor");
        const first = await request.send({ url: withQuery(request, { cursor: null }) });
        const top = idOf(jobsOf(fieldsOf(await first.json()))[0]);
        const added = cursor !== null && newest.has(cursor) && newest.get(cursor) !== top;
        return withFields(await request.send(), (fields) => {
          const { next_cursor: next } = fields;
          if (typeof next === "string") newest.set(next, top);
          return added ? { jobs: jobsOf(fields).slice(1) } : {};
        });
      };
    }),
  ),
  mutant(
    list,
    "has cursors of another form",
    "list.paging.cursor",
    mutated(() => async (request) => {
      if (!isList(request)) return request.send();
      const cursor = request.url.searchParams.get("cursor")?.replace(/^page:/, "") ?? null;
      const response = await request.send({ url: withQuery(request, { cursor }) });
      return withFields(response, ({ next_cursor: next }) => ({
        next_cursor: typeof next === "string" ? `page:${next}` : null,
      }));
    }),
  ),
  mutant(
    "Limits",
    "lists 10 jobs on a page",
    "list.limit.default",
    mutated(() => (request) => {
      const changes = isList(request) && !request.url.searchParams.has("limit");
      return changes ? request.send({ url: withQuery(request, { limit: "10" }) }) : request.send();
    }),
  ),
  mutant(
    list,
    "lists one job more than the limit",
    "list.limit.asked",
    mutated(() => (request) => {
      const limit = Number(request.url.searchParams.get("limit"));
      const changes = isList(request) && limit > 0 && limit < 4;
      const query = { limit: String(limit + 1) };
      return changes ? request.send({ url: withQuery(request, query) }) : request.send();
    }),
  ),
  mutant(
    list,
    "lists a job of another key for a key without jobs",
    "list.own-key",
    mutated(() => {
      let last: unknown;
      return async (request) => {
        const response = await request.send();
        const { searchParams: query } = request.url;
        const whole = !["cursor", "status", "status_filter"].some((name) => query.has(name));
        if (!isList(request) || !whole) return response;
        return withFields(response, (fields) => {
          const [first] = jobsOf(fields);
          last = first ?? last;
          return first === undefined && last !== undefined ? { jobs: [last] } : {};
        });
      };
    }),
  ),
];

/** Mutants in synchronous requests, polls and the list. */
export const jobRequestMutants: readonly Mutant[] = [
  ...syncMutants,
  ...pollMutants,
  ...listMutants,
];

function isSync(request: MutatedRequest): boolean {
  return isSubmit(request) && request.body["wait"] === true;
}

function pages(change: (page: Fields, request: MutatedRequest) => Fields): Mutant["plant"] {
  return mutated(() => async (request) => {
    const response = await request.send();
    return isList(request) ? withFields(response, (fields) => change(fields, request)) : response;
  });
}

/** URL of a request with other parameters. One that is null is removed. */
function withQuery(request: MutatedRequest, query: Readonly<Record<string, string | null>>): URL {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(query)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url;
}

function jobsOf(fields: Fields): readonly unknown[] {
  return elementsOf(fields["jobs"]);
}

function idOf(job: unknown): unknown {
  return fieldsOf(job)["job_id"];
}
