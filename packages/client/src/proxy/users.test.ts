import { describe, expect, it } from "vitest";

import { createProxyService } from "../../test/proxy-service.ts";
import { input, personUrl, profiles, shirtUrl } from "../../test/service.ts";
import type { ProxyCall } from "./index.ts";

const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };

async function jobIdOf(response: Response): Promise<string> {
  const { job_id: id } = (await response.json()) as { job_id: string };
  return id;
}

describe.each(profiles)("users of a proxy, under the profile %s", (profile) => {
  it("have separate idempotency keys: the same key is one job per user", async () => {
    const { post, run, submissions, mock, client } = createProxyService({}, { profile });
    const ada = await jobIdOf(await run(post("ada", tryOn)));
    const again = await jobIdOf(await run(post("ada", tryOn)));
    const bob = await jobIdOf(await run(post("bob", tryOn)));
    expect(again).toBe(ada);
    expect(bob).not.toBe(ada);
    const keys = submissions().map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^[\da-f]{64}$/);
    await mock.clock.advance("2m");
    expect(await run(client().jobs.list().toArray())).toHaveLength(2);
  });

  it("get the same 404 for another user's job and an unknown one, under any id", async () => {
    const { page, run, ask, client, mock, sent } = createProxyService({}, { profile });
    const { id } = await run(page("ada").submit(input));
    await mock.clock.advance("2m");
    const [job] = await run(client().jobs.list().toArray());
    const bare = job?.id ?? "";
    expect(id.startsWith(bare)).toBe(true);
    const bobs = await run(page("bob").submit(input));
    await mock.clock.advance("2m");
    const before = sent.length;
    const otherIds = [
      id,
      bare,
      `${bare}${bobs.id.slice(-32)}`,
      `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`,
      id.toUpperCase().replace("JOB", "job"),
      `${id}0`,
      `job_${"a".repeat(32)}`,
      "job_1",
      "job_",
    ];
    const responses = await Promise.all(
      otherIds.map(async (one) => {
        const response = await ask("bob", `/api/v1/tryon/${one}`);
        return [response.status, [...response.headers], await response.text()];
      }),
    );
    expect(sent).toHaveLength(before);
    // Valid for Bob, but unknown to the service, as after a change of the API key.
    const own = await ask("bob", `/api/v1/tryon/${bobs.id}`);
    expect(own.status).toBe(200);
    await mock.reset();
    const gone = await ask("bob", `/api/v1/tryon/${bobs.id}`);
    expect(sent).toHaveLength(before + 2);
    const absent = [gone.status, [...gone.headers], await gone.text()];
    expect(absent[0]).toBe(404);
    for (const response of responses) expect(response).toEqual(absent);
  });

  it("are distinct even if their ids differ only in case, spaces or Unicode form", async () => {
    const { post, run, submissions } = createProxyService(
      {
        authorize: (request) => ({ id: decodeURIComponent(request.headers.get("cookie") ?? "") }),
      },
      { profile },
    );
    const names = ["a", "a ", "A", "a\0", '","', "é", "e\u0301", "%"].map(encodeURIComponent);
    for (const name of names) await run(post(name, tryOn));
    const keys = submissions().map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(names.length);
  });

  it("list only their own jobs if the list is enabled", async () => {
    const { page, run, client, mock, ask } = createProxyService(
      { allow: { list: true } },
      { profile },
    );
    await run(client().submit(input));
    const own = [await run(page("ada").submit(input)), await run(page("ada").submit(input))];
    await run(page("bob").submit(input));
    await mock.clock.advance("2m");
    const listed = await run(page("ada").jobs.list({ limit: 1 }).toArray());
    expect(listed.map(({ id }) => id)).toEqual(own.map(({ id }) => id).toReversed());
    expect(JSON.stringify(listed)).not.toContain("_tryon_user");
    const done = await run(page("ada").jobs.list({ status_filter: "succeeded" }).toArray());
    expect(done).toHaveLength(2);
    const page1 = await run(page("ada").jobs.list({ limit: 1 }).page());
    const cursor = String(page1.nextCursor);
    expect((await ask("bob", `/api/v1/tryon?cursor=${cursor}`)).status).toBe(400);
    // A cursor can be the id of another user's job, so it must not give access to one.
    expect((await ask("ada", `/api/v1/tryon/${cursor}`)).status).toBe(404);
  });

  it("get 429 over their limit before anything is sent, and a retry can count once", async () => {
    const calls: ProxyCall[] = [];
    const keys = new Map<string, Set<string | undefined>>();
    const { post, run, sent, page, error } = createProxyService(
      {
        limit: (call) => {
          calls.push(call);
          const { user, kind, idempotencyKey } = call;
          if (kind !== "submit") return true;
          const used = keys.get(user.id) ?? new Set();
          keys.set(user.id, used.add(idempotencyKey));
          return used.size <= 2 || (user.id === "ada" && { retryAfter: 1_799.5 });
        },
      },
      { profile },
    );
    for (const key of ["one", "one", "two"]) {
      expect((await run(post("ada", tryOn, { "idempotency-key": key }))).status).toBe(200);
    }
    const before = sent.length;
    const refused = await post("ada", tryOn, { "idempotency-key": "three" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1800"]);
    expect(sent).toHaveLength(before);
    for (const key of ["one", "two"]) await run(post("bob", tryOn, { "idempotency-key": key }));
    expect(await error(page("bob").submit(input))).toMatchObject({
      code: "rate_limited",
      retryAfter: 3_600,
    });
    expect(calls[0]).toMatchObject({ kind: "submit", user: { id: "ada" } });
  });

  it.each<[unknown, string]>([
    [0, "0"],
    [Number.POSITIVE_INFINITY, "31536000"],
    [2e9, "31536000"],
    [-1, "3600"],
    [Number.NaN, "3600"],
    [null, "3600"],
    ["soon", "3600"],
  ])("get a valid Retry-After if limit returns %s", async (retryAfter, expected) => {
    const { post, page, error } = createProxyService(
      // Callers without types can return anything.
      { limit: () => ({ retryAfter: retryAfter as number }) },
      { profile },
    );
    const refused = await post("ada", tryOn);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expected]);
    const timeout = "10s";
    expect(await error(page("ada").submit(input, { timeout }))).toMatchObject({
      code: "rate_limited",
      retryAfter: Number(expected),
    });
  });

  it("get 503 if limit throws", async () => {
    const cause = new Error("the counter is down");
    const { post, sent, reported } = createProxyService(
      {
        limit: () => {
          throw cause;
        },
      },
      { profile },
    );
    expect((await post("ada", tryOn)).status).toBe(503);
    expect(reported).toMatchObject([{ cause, user: "ada" }]);
    expect(sent).toEqual([]);
  });

  it("still get their last result after a 429 for one more try-on", async () => {
    let left = 1;
    const { page, run, error } = createProxyService(
      { limit: ({ kind }) => kind !== "submit" || left-- > 0 },
      { profile },
    );
    const tryon = page("ada");
    const job = await run(tryon.submit(input));
    const [result, refused] = await run(Promise.all([job.result(), error(tryon.submit(input))]));
    expect(refused).toMatchObject({ code: "rate_limited" });
    expect(result.job.status).toBe("succeeded");
  });
});
