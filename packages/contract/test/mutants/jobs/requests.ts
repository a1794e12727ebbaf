import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  fieldsIn,
  jobIdIn,
  jobIdOf,
  patched,
  refusal,
  responses,
  withFields,
  type Change,
  type MutatedRequest,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const failed = { status: "failed", error_code: "generation_failed", error_message: "timeout" };

export const jobRequestMutants = mutants({
  "failure.sync: responds with 500 when the job of a synchronous request fails": responses(
    async (response, request) => {
      const fails = request.kind === "submit" && (await fieldsIn(response))["status"] === "failed";
      return fails ? refusal(500) : undefined;
    },
  ),
  "sync.limit.job-continues: fails the job at the limit of a synchronous request": responses(
    async (response, request, { notes: dropped }) => {
      const { message, job_id: jobId } = request.kind === "submit" ? await fieldsIn(response) : {};
      if (message) dropped.add(String(jobId));
      const isDropped = request.kind === "poll" && dropped.has(jobIdIn(request));
      return isDropped ? withFields(response, () => failed) : undefined;
    },
  ),
  "states.never-back: moves a running job back to queued": patched(
    "poll",
    ({ status }, request, { notes: polled }) => {
      const isFirst = !polled.has(jobIdIn(request));
      polled.add(jobIdIn(request));
      return isFirst && status === "running" ? { status: "queued" } : undefined;
    },
  ),
  "poll.other-key: returns a job to every key": () => {
    const owners = new Map<string, string>();
    return async (request) => {
      const response = await request.send();
      if (request.kind === "submit") owners.set(await jobIdOf(response), request.token);
      const token = request.kind === "poll" ? owners.get(jobIdIn(request)) : undefined;
      return token === undefined ? response : request.send({ token });
    };
  },
  "poll.own-id, states.terminal.final: responds to a poll with the newest job of the key": () => {
    const newest = new Map<string, string>();
    return async (request) => {
      const response = await request.send();
      const { token, url } = request;
      if (request.kind === "submit") newest.set(token, await jobIdOf(response));
      const jobId = request.kind === "poll" ? newest.get(token) : undefined;
      if (jobId === undefined) return response;
      return request.send({ url: new URL(`/api/v1/tryon/${jobId}`, url) });
    };
  },
  "poll.unknown: responds with 403 for an unknown job": responses(
    async (response, request, { notes: known }) => {
      if (request.kind === "submit") known.add(await jobIdOf(response));
      return request.kind === "poll" && !known.has(jobIdIn(request)) ? refusal(403) : undefined;
    },
  ),
  "list.newest-first: lists the oldest job of a page first": pages((fields) => ({
    jobs: jobsOf(fields).toReversed(),
  })),
  "list.own-key: lists a job of another key for a key without jobs": () => {
    let last: unknown;
    return async (request) => {
      const response = await request.send();
      const { searchParams: query } = request.url;
      const whole = !["cursor", "status", "status_filter"].some((name) => query.has(name));
      if (request.kind !== "list" || !whole) return response;
      return withFields(response, (fields) => {
        const [first] = jobsOf(fields);
        last = first ?? last;
        return first === undefined && last !== undefined ? { jobs: [last] } : {};
      });
    };
  },
  "sync.waits: waits a minute for every synchronous request":
    ({ mock }) =>
    async (request) => {
      const from = mock.clock.now();
      const response = await request.send();
      if (isSync(request)) await mock.clock.sleep(55_000 - (mock.clock.now() - from));
      return response;
    },
  "sync.limit: ends a synchronous request after 60 seconds":
    ({ mock }) =>
    async (request) => {
      if (!isSync(request)) return request.send();
      const limit = mock.clock.sleep(60_000).then(() => undefined);
      const response = await Promise.race([request.send(), limit]);
      if (response !== undefined) return response;
      const headers = { authorization: `Bearer ${request.token}` };
      const newest = await mock.fetch(`${request.url.href}?limit=1`, { headers });
      const [job] = jobsOf(await fieldsIn(newest));
      const { job_id: jobId, cost_credits: cost } = fieldsOf(job);
      const message = `Poll GET /api/v1/tryon/${String(jobId)}.`;
      return Response.json({ job_id: jobId, status: "running", cost_credits: cost, message });
    },
  "test-key.job: sends no webhooks for test keys": () => (request) => {
    const { body, token } = request;
    const drops =
      request.kind === "submit" && token.startsWith("svc_test_") && "webhook_url" in body;
    return drops ? request.send({ body: { ...body, webhook_url: null } }) : request.send();
  },
  "list.as-polled: omits the duration of a job in the list": pages((fields) => ({
    jobs: jobsOf(fields).map((job) => ({ ...fieldsOf(job), duration_ms: null })),
  })),
  "list.paging.end: has a cursor on the last page": pages((fields) => ({
    next_cursor: fields["next_cursor"] ?? idOf(jobsOf(fields).at(-1)) ?? null,
  })),
  "list.paging.whole: loses a job between two pages": pages((fields, cursor) =>
    cursor === null ? {} : { jobs: jobsOf(fields).slice(1) },
  ),
  "list.paging.inserts: counts pages from the newest job, so that one is listed twice when a job is added":
    lists(() => {
      const offsets = new Map<string, number>();
      return async (request, cursor) => {
        const offset = offsets.get(cursor ?? "") ?? 0;
        if (cursor !== null && offset === 0) return request.send();
        const limit = Number(request.url.searchParams.get("limit") ?? 20);
        const query = offset > 0 ? { cursor: null, limit: "100" } : { cursor: null };
        return withFields(await sendQuery(request, query), (fields) => {
          const jobs = jobsOf(fields);
          const end = Math.min(jobs.length, offset + limit);
          const more = offset > 0 ? jobs.length > end : fields["next_cursor"] !== null;
          const next = more ? String(idOf(jobs[end - 1])) : null;
          if (next !== null) offsets.set(next, end);
          return { jobs: jobs.slice(offset, end), next_cursor: next };
        });
      };
    }),
  "list.paging.cursor: has cursors of another form": lists(() => async (request, cursor) => {
    const known = cursor?.replace(/^page:/, "") ?? null;
    return withFields(await sendQuery(request, { cursor: known }), ({ next_cursor: next }) => ({
      next_cursor: typeof next === "string" ? `page:${next}` : null,
    }));
  }),
  "list.limit.asked: lists one job more than the limit": lists(() => (request) => {
    const limit = Number(request.url.searchParams.get("limit"));
    return sendQuery(request, limit > 0 && limit < 4 ? { limit: String(limit + 1) } : {});
  }),
  "list.limit.default: lists 10 jobs on a page": lists(
    () => (request) =>
      sendQuery(request, request.url.searchParams.has("limit") ? {} : { limit: "10" }),
  ),
  "list.paging.inserts: loses a job of the next page when one is added": lists(() => {
    const newest = new Map<string, unknown>();
    return async (request, cursor) => {
      const first = await sendQuery(request, { cursor: null });
      const top = idOf(jobsOf(await fieldsIn(first))[0]);
      const added = cursor !== null && newest.has(cursor) && newest.get(cursor) !== top;
      return withFields(await request.send(), (fields) => {
        const { next_cursor: next } = fields;
        if (typeof next === "string") newest.set(next, top);
        return added ? { jobs: jobsOf(fields).slice(1) } : {};
      });
    };
  }),
});

function lists(
  make: () => (request: MutatedRequest, cursor: string | null) => Promise<Response>,
): Change {
  return () => {
    const handle = make();
    return (request) =>
      request.kind === "list"
        ? handle(request, request.url.searchParams.get("cursor"))
        : request.send();
  };
}

function pages(change: (page: Fields, cursor: string | null) => Fields): Change {
  return lists(
    () => async (request, cursor) =>
      withFields(await request.send(), (fields) => change(fields, cursor)),
  );
}

function isSync(request: MutatedRequest): boolean {
  return request.kind === "submit" && request.body["wait"] === true;
}

function sendQuery(
  request: MutatedRequest,
  query: Readonly<Record<string, string | null>>,
): Promise<Response> {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(query)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return request.send({ url });
}

function jobsOf(fields: Fields): readonly unknown[] {
  return elementsOf(fields["jobs"]);
}

function idOf(job: unknown): unknown {
  return fieldsOf(job)["job_id"];
}
