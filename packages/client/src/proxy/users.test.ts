import { describe, expect, it } from "vitest";

import { createProxyWorld } from "../testing/proxy-world.ts";
import { input, personUrl, profiles, shirtUrl } from "../testing/world.ts";
import type { ProxyCall } from "./index.ts";

const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };

async function jobIdOf(response: Response): Promise<string> {
  const { job_id: id } = (await response.json()) as { job_id: string };
  return id;
}

describe.each(profiles)("users of one proxy, under the profile %s", (profile) => {
  it("each have keys of their own: the same key of two is two jobs, and of one is one", async () => {
    const { post, run, submissions, mock, client } = createProxyWorld({}, { profile });
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

  it("see no job of another, under whatever id, and are not told whether there is one", async () => {
    const { page, run, ask, client, mock, sent } = createProxyWorld({}, { profile });
    const { id } = await run(page("ada").submit(input));
    await mock.clock.advance("2m");
    const [job] = await run(client().jobs.list().toArray());
    const bare = job?.id ?? "";
    expect(id.startsWith(bare)).toBe(true);
    const bobs = await run(page("bob").submit(input));
    await mock.clock.advance("2m");
    const before = sent.length;
    const strange = [
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
    const answers = await Promise.all(
      strange.map(async (one) => {
        const answer = await ask("bob", `/api/v1/tryon/${one}`);
        return [answer.status, [...answer.headers], await answer.text()];
      }),
    );
    expect(sent).toHaveLength(before);
    // Signed for Bob, and gone at the service: a key that was changed meanwhile has no such job.
    const own = await ask("bob", `/api/v1/tryon/${bobs.id}`);
    expect(own.status).toBe(200);
    await mock.reset();
    const gone = await ask("bob", `/api/v1/tryon/${bobs.id}`);
    expect(sent).toHaveLength(before + 2);
    const absent = [gone.status, [...gone.headers], await gone.text()];
    expect(absent[0]).toBe(404);
    for (const answer of answers) expect(answer).toEqual(absent);
  });

  it("are told apart whatever their names are", async () => {
    const { post, run, submissions } = createProxyWorld(
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

  it("see their own jobs in the list where it is open, and none of others", async () => {
    const { page, run, client, mock, ask } = createProxyWorld(
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
    // What begins a page is maybe another's job, and does not open it.
    expect((await ask("ada", `/api/v1/tryon/${cursor}`)).status).toBe(404);
  });

  it("are kept to their limit before anything is sent, and a retry can be counted once", async () => {
    const calls: ProxyCall[] = [];
    const keys = new Map<string, Set<string | undefined>>();
    const { post, run, sent, page, error } = createProxyWorld(
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
  ])("are told a limit that a page can read where retryAfter is %s", async (retryAfter, told) => {
    const { post, page, error } = createProxyWorld(
      // What types forbid comes from programs without types.
      { limit: () => ({ retryAfter: retryAfter as number }) },
      { profile },
    );
    const refused = await post("ada", tryOn);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, told]);
    const timeout = "10s";
    expect(await error(page("ada").submit(input, { timeout }))).toMatchObject({
      code: "rate_limited",
      retryAfter: Number(told),
    });
  });

  it("are refused when their limit cannot be found out", async () => {
    const cause = new Error("the counter is down");
    const { post, sent, troubles } = createProxyWorld(
      {
        limit: () => {
          throw cause;
        },
      },
      { profile },
    );
    expect((await post("ada", tryOn)).status).toBe(503);
    expect(troubles).toMatchObject([{ cause, user: "ada" }]);
    expect(sent).toEqual([]);
  });

  it("wait for the last try-on they may make, also when they ask for one more meanwhile", async () => {
    let left = 1;
    const { page, run, error } = createProxyWorld(
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
