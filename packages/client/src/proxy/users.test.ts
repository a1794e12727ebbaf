import { describe, expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { input } from "../../test/service.ts";
import type { ProxyCall } from "./index.ts";

describe("users of a proxy", () => {
  it("have separate idempotency keys, even if their ids differ only in case, spaces or Unicode form", async () => {
    const { post, run, keys, mock, client } = createProxyService({
      authorize: ({ headers }) => ({ id: decodeURIComponent(headers.get("cookie") ?? "") }),
    });
    const names = ["a", "a ", "A", "a\0", '","', "é", "e\u0301", "%"].map(encodeURIComponent);
    const submit = async (user: string) =>
      ((await (await run(post(user, tryOn))).json()) as { job_id: string }).job_id;
    for (const name of names) expect(await submit(name)).toBe(await submit(name));
    expect(keys().size).toBe(names.length);
    for (const key of keys()) expect(key).toMatch(/^[\da-f]{64}$/);
    await mock.clock.advance("2m");
    expect(await run(client().jobs.list().toArray())).toHaveLength(names.length);
  });

  it("get the same 404 for another user's job and an unknown one, under any id", async () => {
    const { page, run, ask, client, mock, sent } = createProxyService();
    const { id } = await run(page("ada").submit(input));
    await mock.clock.advance("2m");
    const [job] = await run(client().jobs.list().toArray());
    const bare = job?.id ?? "";
    expect(id.startsWith(bare)).toBe(true);
    const bobs = await run(page("bob").submit(input));
    await mock.clock.advance("2m");
    const before = sent.length;
    const read = async (one: string) => {
      const response = await ask("bob", `/api/v1/tryon/${one}`);
      return [response.status, [...response.headers], await response.text()];
    };
    const forged = await Promise.all(
      [
        id,
        bare,
        `${bare}${bobs.id.slice(-32)}`,
        `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`,
        id.toUpperCase().replace("JOB", "job"),
        `${id}0`,
        `job_${"a".repeat(32)}`,
        "job_1",
        "job_",
      ].map(read),
    );
    expect(sent).toHaveLength(before);
    expect((await read(bobs.id))[0]).toBe(200);
    // Valid for Bob, but unknown to the service, as after a change of the API key.
    await mock.reset();
    const absent = await read(bobs.id);
    expect(sent).toHaveLength(before + 2);
    expect(absent[0]).toBe(404);
    for (const response of forged) expect(response).toEqual(absent);
  });

  it("list only their own jobs if the list is enabled", async () => {
    const { page, run, client, mock, ask, sent } = createProxyService({ allow: { list: true } });
    await run(client().submit(input));
    const own = [await run(page("ada").submit(input)), await run(page("ada").submit(input))];
    await run(page("bob").submit(input));
    await mock.clock.advance("2m");
    const { jobs } = page("ada");
    const listed = await run(jobs.list({ limit: 1 }).toArray());
    expect(listed.map(({ id }) => id)).toEqual(own.map(({ id }) => id).toReversed());
    expect(JSON.stringify(listed)).not.toContain("_tryon_user");
    expect(await run(jobs.list({ status_filter: "succeeded" }).toArray())).toHaveLength(2);
    const { nextCursor } = await run(jobs.list({ limit: 1 }).page());
    expect((await ask("bob", `/api/v1/tryon?cursor=${nextCursor}`)).status).toBe(400);
    // A cursor can be the id of another user's job, so it must not give access to one.
    expect((await ask("ada", `/api/v1/tryon/${nextCursor}`)).status).toBe(404);
    const before = sent.length;
    await run(ask("ada", "/api/v1/tryon?limit=5&status=queued%26a&key=a"));
    expect(sent[before]?.url).toBe(`${mock.baseUrl}/api/v1/tryon?limit=5&status=queued%26a`);
  });

  it.each<[unknown, number]>([
    [false, 3_600],
    [{ retryAfter: 1_799.5 }, 1_800],
    [{ retryAfter: 0 }, 0],
    [{ retryAfter: Number.POSITIVE_INFINITY }, 86_400],
    [{ retryAfter: 2e9 }, 86_400],
    [{ retryAfter: -1 }, 3_600],
    [{ retryAfter: Number.NaN }, 3_600],
    [{ retryAfter: null }, 3_600],
    [{ retryAfter: "soon" }, 3_600],
    [undefined, 3_600],
    ["true", 3_600],
  ])("get 429 with a valid Retry-After if limit returns %j", async (verdict, retryAfter) => {
    // Callers without types can return anything.
    const limit = () => verdict as boolean;
    const { post, page, error, sent } = createProxyService({ limit });
    const refused = await post("ada", tryOn);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, `${retryAfter}`]);
    const thrown = await error(page("ada").submit(input, { timeout: "10s" }));
    expect(thrown).toMatchObject({ code: "rate_limited", retryAfter });
    expect(sent).toEqual([]);
  });

  it("get 503 if limit throws", async () => {
    const cause = new Error("the counter is down");
    const limit = () => Promise.reject(cause);
    const { post, sent, reported } = createProxyService({ limit });
    expect((await post("ada", tryOn)).status).toBe(503);
    expect(reported).toMatchObject([{ cause, user: "ada" }]);
    expect(sent).toEqual([]);
  });

  it("still get their last result after a 429 for one more try-on", async () => {
    let left = 1;
    const limit = ({ kind }: ProxyCall) => kind !== "submit" || left-- > 0;
    const { page, run, error } = createProxyService({ limit });
    const tryon = page("ada");
    const job = await run(tryon.submit(input));
    const [result, refused] = await run(Promise.all([job.result(), error(tryon.submit(input))]));
    expect(refused).toMatchObject({ code: "rate_limited" });
    expect(result.job.status).toBe("succeeded");
  });
});
