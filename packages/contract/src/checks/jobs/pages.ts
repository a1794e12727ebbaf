import { must } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";

/** Asks for a page of the list. @throws Broken when there is none. */
export async function pageOf(
  session: Session,
  key: Key,
  query: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const answer = await session.call("GET", "/api/v1/tryon", { key, query });
  must(answer.status === 200, `The list was answered ${answer.status}.`, answer);
  return answer;
}

/** The jobs of a page. */
export function jobsOf(page: HttpResponse): readonly Fields[] {
  return elementsOf(fieldsOf(page.json)["jobs"]).map(fieldsOf);
}

/** The ids of the jobs of a page. */
export function idsOf(page: HttpResponse): readonly string[] {
  return jobsOf(page).map((job) => String(job["job_id"]));
}

/** Where the next page begins, or undefined on the last. */
export function cursorOf(page: HttpResponse): string | undefined {
  const { next_cursor: cursor } = fieldsOf(page.json);
  return typeof cursor === "string" ? cursor : undefined;
}

/** Submits jobs, and waits until the list has them: a fresh one may be missing from reads for a moment. */
export async function startAndList(
  session: Session,
  key: Key,
  count: number,
): Promise<{ ids: readonly string[]; page: HttpResponse }> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await session.start({}, { key }));
  const page = await session.until("the list has the jobs that were submitted", async () => {
    // Both values of the largest page that there are admit this one.
    const found = await pageOf(session, key, { limit: "50" });
    return ids.every((id) => idsOf(found).includes(id)) ? found : undefined;
  });
  return { ids, page };
}
