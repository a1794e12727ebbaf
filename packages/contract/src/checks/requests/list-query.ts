import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { mustBeRefused } from "./submission-check.ts";

const path = "/api/v1/tryon";
const statuses = ["queued", "running", "succeeded", "failed"];

/** What the query of the list may say. */
export const listQuery: readonly Check[] = [
  {
    id: "list-query.limit",
    title: "Refuses a limit of 0, one below it, and what is no number, with 422",
    rules: ["list.limit.bounds"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const limit of ["0", "-1", "abc"]) {
        const answer = await session.call("GET", path, { query: { limit } });
        mustBeRefused(`The limit ${limit}`, answer, [422]);
      }
    },
  },
  {
    id: "list-query.status-filter",
    title: "Lists the jobs of one status where it is asked for one",
    rules: ["list.status-filter.values"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { job_id: id, status: end } = fieldsOf((await session.whole()).json);
      for (const status of statuses) {
        const answer = await filtered(session, status);
        must(answer.status === 200, `The filter ${status} was answered ${answer.status}.`, answer);
        const jobs = elementsOf(fieldsOf(answer.json)["jobs"]).map(fieldsOf);
        const other = jobs.find((job) => job["status"] !== status);
        const seen = `The filter ${status} lists a job that is ${String(other?.["status"])}.`;
        must(other === undefined, seen, answer);
        if (status !== end) continue;
        const listed = jobs.some((job) => job["job_id"] === id);
        must(listed, `The filter ${status} leaves out ${String(id)}, which is that.`, answer);
      }
    },
  },
  {
    id: "list-query.status-filter.unknown",
    title: "Refuses a status to filter by that there is not, with 422",
    rules: ["list.status-filter.values"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      mustBeRefused("The filter finished", await filtered(session, "finished"), [422]);
    },
  },
  {
    id: "list-query.cursor.unknown",
    title: "Refuses a cursor that no page has given",
    rules: ["list.cursor.unknown"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const cursor = `job_${"0".repeat(23)}1`;
      const answer = await session.call("GET", path, { query: { cursor } });
      mustBeRefused("A cursor that no page has given", answer);
    },
  },
];

/** The filter under both of its names: which of them counts is an open point. */
function filtered(session: Session, status: string): Promise<HttpResponse> {
  const query = { status_filter: status, status, limit: "50" };
  return session.call("GET", path, { query });
}
