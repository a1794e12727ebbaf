import { isPoll, isSubmit, jobIdIn, jobIdOf, mutated, withFields } from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

/** Deviations in which job a poll shows, and to whom. */
export const pollMutants: readonly Mutant[] = [
  {
    name: "lets a running job go back into the queue",
    section: "Semantics 7",
    expected: ["states.never-back"],
    plant: mutated(() => {
      const polled = new Set<string>();
      return async (call) => {
        const response = await call.send();
        if (!isPoll(call) || polled.has(jobIdIn(call))) return response;
        polled.add(jobIdIn(call));
        return withFields(response, (job) =>
          job["status"] === "running" ? { ...job, status: "queued" } : job,
        );
      };
    }),
  },
  {
    name: "answers a poll with the newest job of the key",
    section: "Endpoints / GET /api/v1/tryon/{job_id}",
    expected: ["poll.own-id"],
    plant: mutated(() => {
      const newest = new Map<string, string>();
      return async (call) => {
        const jobId = newest.get(call.token);
        if (isPoll(call) && jobId !== undefined) {
          return call.send({ url: new URL(`/api/v1/tryon/${jobId}`, call.url) });
        }
        const response = await call.send();
        if (isSubmit(call)) newest.set(call.token, await jobIdOf(response));
        return response;
      };
    }),
  },
  {
    name: "answers 403 for a job that there is not",
    section: "Errors",
    expected: ["poll.unknown"],
    plant: mutated(() => {
      const known = new Set<string>();
      return async (call) => {
        const response = await call.send();
        if (isSubmit(call)) known.add(await jobIdOf(response));
        if (!isPoll(call) || known.has(jobIdIn(call))) return response;
        return Response.json({ detail: "This is no job of yours." }, { status: 403 });
      };
    }),
  },
  {
    name: "shows a job to every key",
    section: "Semantics 7",
    expected: ["poll.other-key"],
    plant: mutated(() => {
      const owners = new Map<string, string>();
      return async (call) => {
        const response = await call.send();
        if (isSubmit(call)) owners.set(await jobIdOf(response), call.token);
        const owner = isPoll(call) ? owners.get(jobIdIn(call)) : undefined;
        return owner === undefined ? response : call.send({ token: owner });
      };
    }),
  },
];
