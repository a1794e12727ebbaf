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
import { mutants, type Mutant } from "../mutant.ts";

const list = "Endpoints / GET /api/v1/tryon";
const page = "Resources and their fields / TryOnListResponse";
const semantics = "Semantics 7";
const states = "States and transitions";

/** Mutants in synchronous requests. */
const syncMutants: readonly Mutant[] = [
  ...mutants("Errors", mutated, {
    "failure.sync": [
      "responds with 500 when the job of a synchronous request fails",
      () => async (request) => {
        const response = await request.send();
        if (!isSubmit(request)) return response;
        if (fieldsOf(await response.clone().json())["status"] !== "failed") return response;
        return Response.json({ detail: "The model has failed." }, { status: 500 });
      },
    ],
  }),
  ...mutants(states, mutated, {
    "sync.waits": [
      "waits a minute for every synchronous request",
      (mock) => async (request) => {
        const from = mock.clock.now();
        const response = await request.send();
        if (isSync(request)) await mock.clock.sleep(55_000 - (mock.clock.now() - from));
        return response;
      },
    ],
    "sync.limit.job-continues": [
      "fails the job at the limit of a synchronous request",
      () => {
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
      },
    ],
  }),
  ...mutants("Limits", mutated, {
    "sync.limit": [
      "ends a synchronous request after 60 seconds",
      (mock) => async (request) => {
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
      },
    ],
  }),
];

/** Mutants in which job a poll returns, and to which key. */
const pollMutants: readonly Mutant[] = [
  ...mutants(semantics, mutated, {
    "states.never-back": [
      "moves a running job back to queued",
      () => {
        const polled = new Set<string>();
        return async (request) => {
          const response = await request.send();
          if (!isPoll(request) || polled.has(jobIdIn(request))) return response;
          polled.add(jobIdIn(request));
          return withFields(response, ({ status }) =>
            status === "running" ? { status: "queued" } : {},
          );
        };
      },
    ],
    "poll.other-key": [
      "returns a job to every key",
      () => {
        const owners = new Map<string, string>();
        return async (request) => {
          const response = await request.send();
          if (isSubmit(request)) owners.set(await jobIdOf(response), request.token);
          const token = isPoll(request) ? owners.get(jobIdIn(request)) : undefined;
          return token === undefined ? response : request.send({ token });
        };
      },
    ],
    "test-key.job": [
      "sends no webhooks for test keys",
      () => (request) => {
        const { body, token } = request;
        const drops = isSubmit(request) && token.startsWith("svc_test_") && "webhook_url" in body;
        return drops ? request.send({ body: { ...body, webhook_url: null } }) : request.send();
      },
    ],
  }),
  ...mutants("Endpoints / GET /api/v1/tryon/{job_id}", mutated, {
    "poll.own-id": [
      "responds to a poll with the newest job of the key",
      () => {
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
      },
    ],
  }),
  ...mutants("Errors", mutated, {
    "poll.unknown": [
      "responds with 403 for an unknown job",
      () => {
        const known = new Set<string>();
        return async (request) => {
          const response = await request.send();
          if (isSubmit(request)) known.add(await jobIdOf(response));
          if (!isPoll(request) || known.has(jobIdIn(request))) return response;
          return Response.json({ detail: "Not your job." }, { status: 403 });
        };
      },
    ],
  }),
];

/** Mutants in the list of jobs and its pages. */
const listMutants: readonly Mutant[] = [
  ...mutants(page, pages, {
    "list.newest-first": [
      "lists the oldest job of a page first",
      (fields) => ({ jobs: jobsOf(fields).toReversed() }),
    ],
    "list.as-polled": [
      "omits the duration of a job in the list",
      (fields) => ({
        jobs: jobsOf(fields).map((job) => ({ ...fieldsOf(job), duration_ms: null })),
      }),
    ],
    "list.paging.end": [
      "has a cursor on the last page",
      (fields) => ({ next_cursor: fields["next_cursor"] ?? idOf(jobsOf(fields).at(-1)) ?? null }),
    ],
  }),
  ...mutants(list, pages, {
    "list.paging.whole": [
      "loses a job between two pages",
      (fields, { url }) =>
        url.searchParams.has("cursor") ? { jobs: jobsOf(fields).slice(1) } : {},
    ],
  }),
  ...mutants(semantics, mutated, {
    "list.paging.inserts": [
      "counts pages from the newest job, so that one is listed twice when a job is added",
      () => {
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
      },
    ],
  }),
  ...mutants(list, mutated, {
    "list.paging.inserts": [
      "loses a job of the next page when one is added",
      () => {
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
      },
    ],
    "list.paging.cursor": [
      "has cursors of another form",
      () => async (request) => {
        if (!isList(request)) return request.send();
        const cursor = request.url.searchParams.get("cursor")?.replace(/^page:/, "") ?? null;
        const response = await request.send({ url: withQuery(request, { cursor }) });
        return withFields(response, ({ next_cursor: next }) => ({
          next_cursor: typeof next === "string" ? `page:${next}` : null,
        }));
      },
    ],
    "list.limit.asked": [
      "lists one job more than the limit",
      () => (request) => {
        const limit = Number(request.url.searchParams.get("limit"));
        const changes = isList(request) && limit > 0 && limit < 4;
        const query = { limit: String(limit + 1) };
        return changes ? request.send({ url: withQuery(request, query) }) : request.send();
      },
    ],
    "list.own-key": [
      "lists a job of another key for a key without jobs",
      () => {
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
      },
    ],
  }),
  ...mutants("Limits", mutated, {
    "list.limit.default": [
      "lists 10 jobs on a page",
      () => (request) => {
        const changes = isList(request) && !request.url.searchParams.has("limit");
        return changes
          ? request.send({ url: withQuery(request, { limit: "10" }) })
          : request.send();
      },
    ],
  }),
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
