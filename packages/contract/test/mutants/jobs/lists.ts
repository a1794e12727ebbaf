import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { isList, mutated, withFields, type MutatedRequest } from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

const section = "Endpoints / GET /api/v1/tryon";

/** Deviations in the list of jobs. */
export const listMutants: readonly Mutant[] = [
  {
    name: "lists the oldest job of a page first",
    section: "Resources and their fields / TryOnListResponse",
    expected: ["list.newest-first"],
    plant: pages((page) => ({ ...page, jobs: jobsOf(page).toReversed() })),
  },
  {
    name: "leaves the duration of a job out of the list",
    section: "Resources and their fields / TryOnListResponse",
    expected: ["list.as-polled"],
    plant: pages((page) => ({
      ...page,
      jobs: jobsOf(page).map((job) => ({ ...fieldsOf(job), duration_ms: null })),
    })),
  },
  {
    name: "loses a job between two pages",
    section,
    expected: ["list.paging.whole"],
    plant: pages((page, { url }) =>
      url.searchParams.has("cursor") ? { ...page, jobs: jobsOf(page).slice(1) } : page,
    ),
  },
  {
    name: "counts pages from the newest job, so that one comes twice when a job is added",
    section: "Semantics 7",
    expected: ["list.paging.inserts"],
    plant: mutated(() => {
      const offsets = new Map<string, number>();
      return async (call) => {
        if (!isList(call)) return call.send();
        const asked = call.url.searchParams.get("cursor") ?? "";
        const offset = offsets.get(asked) ?? 0;
        if (asked !== "" && offset === 0) return call.send();
        const limit = Number(call.url.searchParams.get("limit") ?? 20);
        const all = new URL(call.url);
        all.searchParams.delete("cursor");
        if (offset > 0) all.searchParams.set("limit", "100");
        return withFields(await call.send({ url: all }), (page) => {
          const jobs = jobsOf(page);
          const end = Math.min(jobs.length, offset + limit);
          const more = offset > 0 ? jobs.length > end : page["next_cursor"] !== null;
          const cursor = more ? String(fieldsOf(jobs[end - 1])["job_id"]) : null;
          if (cursor !== null) offsets.set(cursor, end);
          return { jobs: jobs.slice(offset, end), next_cursor: cursor };
        });
      };
    }),
  },
  {
    name: "loses a job of the next page when one is added",
    section: "Endpoints / GET /api/v1/tryon",
    expected: ["list.paging.inserts"],
    plant: mutated(() => {
      const newest = new Map<string, unknown>();
      return async (call) => {
        if (!isList(call)) return call.send();
        const asked = call.url.searchParams.get("cursor");
        const first = new URL(call.url);
        first.searchParams.delete("cursor");
        const top = jobsOf(fieldsOf(await (await call.send({ url: first })).json()))[0];
        const added = asked !== null && newest.has(asked) && newest.get(asked) !== idOf(top);
        return withFields(await call.send(), (page) => {
          if (typeof page["next_cursor"] === "string") newest.set(page["next_cursor"], idOf(top));
          return added ? { ...page, jobs: jobsOf(page).slice(1) } : page;
        });
      };
    }),
  },
  {
    name: "gives a cursor on the last page",
    section: "Resources and their fields / TryOnListResponse",
    expected: ["list.paging.end"],
    plant: pages((page) => ({
      ...page,
      next_cursor: page["next_cursor"] ?? fieldsOf(jobsOf(page).at(-1))["job_id"] ?? null,
    })),
  },
  {
    name: "gives cursors of another form",
    section,
    expected: ["list.paging.cursor"],
    plant: mutated(() => async (call) => {
      if (!isList(call)) return call.send();
      const url = new URL(call.url);
      const given = url.searchParams.get("cursor");
      if (given !== null) url.searchParams.set("cursor", given.replace(/^page:/, ""));
      return withFields(await call.send({ url }), (page) => {
        const { next_cursor: cursor } = page;
        return { ...page, next_cursor: typeof cursor === "string" ? `page:${cursor}` : null };
      });
    }),
  },
  {
    name: "has 10 jobs on a page",
    section: "Limits",
    expected: ["list.limit.default"],
    plant: mutated(() => (call) => {
      const url = new URL(call.url);
      if (isList(call) && !url.searchParams.has("limit")) url.searchParams.set("limit", "10");
      return call.send({ url });
    }),
  },
  {
    name: "has one job more than was asked for",
    section,
    expected: ["list.limit.asked"],
    plant: mutated(() => (call) => {
      const url = new URL(call.url);
      const limit = Number(url.searchParams.get("limit"));
      if (isList(call) && limit > 0 && limit < 4) url.searchParams.set("limit", String(limit + 1));
      return call.send({ url });
    }),
  },
  {
    name: "shows the jobs of other keys to a key without any",
    section,
    expected: ["list.own-key"],
    plant: mutated(() => {
      let last: unknown;
      return async (call) => {
        const response = await call.send();
        const whole = ["cursor", "status", "status_filter"].every(
          (name) => !call.url.searchParams.has(name),
        );
        if (!isList(call) || !whole) return response;
        return withFields(response, (page) => {
          const [first] = jobsOf(page);
          last = first ?? last;
          return first === undefined && last !== undefined ? { ...page, jobs: [last] } : page;
        });
      };
    }),
  },
];

function pages(change: (page: Fields, call: MutatedRequest) => Fields): Mutant["plant"] {
  return mutated(() => async (call) => {
    const response = await call.send();
    return isList(call) ? withFields(response, (page) => change(page, call)) : response;
  });
}

function jobsOf(page: Fields): readonly unknown[] {
  return elementsOf(page["jobs"]);
}

function idOf(job: unknown): unknown {
  return fieldsOf(job)["job_id"];
}
