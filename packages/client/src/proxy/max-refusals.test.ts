import type { MockOptions } from "@tryon/mock";
import { describe, expect, it, vi } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { cut, failure, input } from "../../test/service.ts";
import { Budget, isTryOnError } from "../index.ts";
import { createTryOnSession, describeForShoppers } from "../session/index.ts";
import { createProxy, createQuota, type ProxyOptions, type ProxyRefusal } from "./index.ts";

const blocked = "mock:content_blocked";
const maxRefusals = { count: 2, per: "1h" } as const;
const hour = 3_600_000;

/** Opens a site that stops users after two refusals in an hour, at the start of an hour. */
async function openSite(options: Partial<ProxyOptions> = {}, mockOptions: MockOptions = {}) {
  const refusals: ProxyRefusal[] = [];
  const onRefusal = (refusal: ProxyRefusal) => void refusals.push(refusal);
  const service = createProxyService({ maxRefusals, onRefusal, ...options }, mockOptions);
  const { mock, run, post, ask } = service;
  await mock.clock.advance(hour - (mock.clock.now() % hour));
  let keys = 0;
  /** Submits from the page of a user, and returns the status, the delay and the body of the response. */
  const submit = async (user: string, body: object = {}, key = `key ${(keys += 1)}`) => {
    const response = await run(post(user, { ...tryOn, ...body }, { "idempotency-key": key }));
    const content = (await response.json()) as { readonly job_id: string };
    return { status: response.status, delay: response.headers.get("retry-after"), content };
  };
  const poll = async (user: string, id: string) =>
    (await (await run(ask(user, `/api/v1/tryon/${id}`))).json()) as object;
  /** Refuses try-ons of a user within the submission. */
  const refuse = async (user: string, times: number) => {
    for (let time = 0; time < times; time += 1) await submit(user, { prompt: blocked, wait: true });
  };
  return { ...service, refusals, submit, poll, refuse };
}

describe("refusals of a user", () => {
  it("stop the next submission, which is neither sent nor charged", async () => {
    const { submit, refuse, refusals, sent, balance, mock } = await openSite();
    await refuse("ada", 2);
    const [ada, jobId] = [{ user: "ada" }, expect.stringMatching(/^job_\w{1,40}$/)];
    expect(refusals).toMatchObject([
      { ...ada, jobId, count: 1, retryAfter: undefined },
      { ...ada, jobId, count: 2, retryAfter: expect.any(Number) },
    ]);
    expect(new Set(refusals.flatMap((refusal) => Object.keys(refusal)))).toEqual(
      new Set(["user", "jobId", "count", "retryAfter"]),
    );
    const before = [sent.length, await balance()];
    const { status, delay, content } = await submit("ada");
    expect({ status, content }).toEqual({
      status: 429,
      content: {
        detail:
          "The service has refused the content of too many try-ons of this user. Nothing was sent.",
        code: "too_many_refusals",
        retryable: false,
      },
    });
    expect([sent.length, await balance()]).toEqual(before);
    expect((await submit("bob")).status).toBe(200);
    // Possible again at the time that the response has stated, and not before.
    await mock.clock.advance((Number(delay) - 1) * 1_000);
    expect(await submit("ada")).toMatchObject({ status: 429, delay: "1" });
    await mock.clock.advance(1_000);
    expect((await submit("ada")).status).toBe(200);
  });

  it.each([
    ["suspend the key of all users without a maximum", 99, 503],
    ["suspend no key with one", 2, 200],
  ])("%s", async (_effect, count, status) => {
    const { refuse, submit } = await openSite(
      { maxRefusals: { count, per: "1h" } },
      { options: { suspendAfterContentBlocked: 5 } },
    );
    await refuse("ada", 9);
    expect((await submit("bob")).status).toBe(status);
  });

  it("count for an hour, and a quarter of it longer at most", async () => {
    const { submit, refuse, mock, refusals } = await openSite();
    await mock.clock.advance("14m");
    await refuse("ada", 1);
    await mock.clock.advance("59m");
    await refuse("ada", 1);
    expect(refusals.map(({ count }) => count)).toEqual([1, 2]);
    await mock.clock.advance("2m");
    expect((await submit("ada")).status).toBe(200);
    await mock.clock.advance("57m");
    await refuse("ada", 1);
    expect((await submit("ada")).status).toBe(429);
  });

  it("count once, however often a job is submitted, polled, listed and reported", async () => {
    const { submit, poll, ask, run, mock, refusals, ids, client } = await openSite({
      allow: { list: true },
    });
    const { content } = await submit("ada", { prompt: blocked }, "one");
    await mock.clock.advance("2m");
    const [job] = await run(client().jobs.list().toArray());
    if (!job) throw new Error("The job is missing.");
    const reports = Array.from({ length: 5 }, () => [
      poll("ada", content.job_id),
      run(ask("ada", "/api/v1/tryon")),
      submit("ada", { prompt: blocked }, "one"),
      ids.recordRefusal({ id: "ada" }, { ...job.data, job_id: job.id }),
    ]);
    await Promise.all(reports.flat());
    await mock.clock.advance("2h");
    await poll("ada", content.job_id);
    await mock.clock.advance("40h");
    await poll("ada", content.job_id);
    expect(refusals).toMatchObject([{ user: "ada", jobId: job.id, count: 1 }]);
  });

  it("count from a list, with the jobs of the user alone", async () => {
    const { submit, ask, run, mock, refusals } = await openSite({ allow: { list: true } });
    for (const user of ["ada", "bob", "ada"]) await submit(user, { prompt: blocked });
    await submit("ada");
    await mock.clock.advance("2m");
    await run(ask("ada", "/api/v1/tryon"));
    expect(refusals.map(({ user, count }) => [user, count])).toEqual([
      ["ada", 1],
      ["ada", 2],
    ]);
  });

  it("count from webhooks of pages that never come back, with each delivery once", async () => {
    const statuses: unknown[] = [];
    const { submit, mock, refusals, ids } = await openSite(
      { addFields: () => ({ webhook_url: "https://shop.example/hooks/tryon" }) },
      {
        sendWebhook: async (request) => {
          const event = (await request.json()) as { readonly job_id: string; status: string };
          const users = [{ id: "ada" }, { id: "ada" }];
          statuses.push(await Promise.all(users.map((user) => ids.recordRefusal(user, event))));
          return new Response(null, { status: 500 });
        },
      },
    );
    await submit("ada", { prompt: blocked });
    await submit("ada");
    await mock.clock.advance("2m");
    // Two jobs with four attempts each.
    expect(statuses).toHaveLength(8);
    expect(statuses.flat().filter(Boolean)).toHaveLength(1);
    expect(refusals).toMatchObject([{ user: "ada", count: 1 }]);
  });

  it("count for each of several jobs that were open at once", async () => {
    const { submit, poll, mock, refusals, sent } = await openSite(
      {},
      { options: { suspendAfterContentBlocked: "off" } },
    );
    const open = await Promise.all(
      Array.from({ length: 8 }, () => submit("ada", { prompt: blocked })),
    );
    await mock.clock.advance("2m");
    const reports = [...open, ...open, ...open];
    await Promise.all(reports.map(({ content }) => poll("ada", content.job_id)));
    const counts = refusals.map(({ count }) => count);
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const before = sent.length;
    const more = Array.from({ length: 8 }, () => submit("ada"));
    expect(new Set((await Promise.all(more)).map(({ status }) => status))).toEqual(new Set([429]));
    expect(sent).toHaveLength(before);
  });

  it("do not include other failures and events of other kinds", async () => {
    const { submit, refusals, mock, ids } = await openSite();
    for (const outcome of ["model_rejected", "storage_failed"] as const) {
      mock.nextJob({ outcome });
      await submit("ada", { wait: true });
    }
    const event = { job_id: "job_1", error_message: "content_blocked" };
    for (const status of ["succeeded", "running"])
      expect(await ids.recordRefusal({ id: "ada" }, { ...event, status })).toBe(false);
    const old = { status: "failed", completed_at: "2020-01-01T00:00:00Z" };
    expect(await ids.recordRefusal({ id: "ada" }, { ...event, ...old })).toBe(false);
    expect(refusals).toEqual([]);
    const undated = { status: "failed", completed_at: null };
    expect(await ids.recordRefusal({ id: "ada" }, { ...event, ...undated })).toBe(true);
  });
});

describe("a stopped user", () => {
  it("gets the result of a submission that was sent before, whose response was lost", async () => {
    const { page, refuse, run, faults, submissions, balance } = await openSite();
    faults.push(cut.after);
    const submitting = run(page("ada").submit(input, { idempotencyKey: "order" }));
    await refuse("ada", 2);
    const job = await submitting;
    expect((await run(job.result())).job.status).toBe("succeeded");
    const again = await run(page("ada").submit(input, { idempotencyKey: "order" }));
    expect(again.id).toBe(job.id);
    expect([new Set(submissions().map(({ body }) => body)).size, await balance()]).toEqual([
      2, 976,
    ]);
  });

  it("cannot use a key whose submission was rejected", async () => {
    const { submit, refuse } = await openSite();
    expect((await submit("ada", { steps: 5 }, "of the proxy")).status).toBe(422);
    expect(
      (await submit("ada", { person_url: "https://10.0.0.1/" }, "of the service")).status,
    ).toBe(400);
    await refuse("ada", 2);
    for (const key of ["of the proxy", "of the service", "of no one"])
      expect((await submit("ada", {}, key)).content).toMatchObject({ code: "too_many_refusals" });
  });

  it("does not use up the quota of the day", async () => {
    const { submit, refuse, mock } = await openSite({ limit: createQuota({ perDay: 3 }) });
    await refuse("ada", 2);
    for (let time = 0; time < 5; time += 1) expect((await submit("ada")).status).toBe(429);
    await mock.clock.advance("75m");
    expect((await submit("ada")).status).toBe(200);
  });

  it("has the error too_many_refusals with its time, after one upload", async () => {
    const { page, refuse, error, run, ask, responses, balance } = await openSite();
    const job = await run(page("ada").submit(input));
    await refuse("ada", 2);
    const before = responses.length;
    const budget = new Budget({ maxCredits: 100 });
    const failed = await error(page("ada").run(input, { budget }));
    if (!isTryOnError(failed, "too_many_refusals")) throw failed;
    expect(failed).toMatchObject({ status: 429, attempts: [{ status: 429 }] });
    expect(failed.retryAfter).toBeGreaterThan(hour / 1_000 - 60);
    expect(failed.message).toMatch(/too many try-ons of this user.*Wait \d+ s\.$/);
    expect(failed).not.toHaveProperty("recover");
    expect(budget).toMatchObject({ spent: 0, reserved: 0 });
    expect(responses.slice(before).filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await balance()).toBe(976);
    // Polls of the user's jobs are not delayed.
    expect((await run(job.result())).job.status).toBe("succeeded");
    expect((await run(ask("ada", "/api/v1/key"))).status).toBe(200);
  });

  it("reads in the session of the page when the next try-on is possible", async () => {
    const { page, refuse, run } = await openSite();
    await refuse("ada", 2);
    const session = createTryOnSession(page("ada"));
    await run(session.start(input));
    expect(session.getSnapshot()).toMatchObject({ status: "failed", canResume: true });
    expect(describeForShoppers(session.getSnapshot())).toMatchObject({
      code: "blocked_often",
      action: "resume",
      text: "Several try-ons were not allowed. Try again in 75 minutes.",
    });
  });

  it("gets the time of one day at most, since clients read no longer one", async () => {
    const { submit, refuse, mock } = await openSite({ maxRefusals: { count: 1, per: "30d" } });
    await refuse("ada", 1);
    expect(await submit("ada")).toMatchObject({ status: 429, delay: "86400" });
    await mock.clock.advance("29d");
    expect((await submit("ada")).status).toBe(429);
    await mock.clock.advance("9d");
    expect((await submit("ada")).status).toBe(200);
  });
});

describe("the counters of refusals", () => {
  it("are those of the quota, of another store, or of this process", async () => {
    const limit = createQuota({ perDay: 9 });
    const two = createQuota({ perDay: 9 });
    const event = { job_id: "job_1", status: "failed", error_message: "content_blocked" };
    const create = (options: Partial<ProxyOptions>) =>
      createProxy({ authorize: () => null, onRefusal: () => {}, maxRefusals, ...options });
    const record = (options: Partial<ProxyOptions>) =>
      create(options).recordRefusal({ id: "ada" }, event);
    expect(await record({ limit })).toBe(true);
    expect(await record({ limit: two, maxRefusals: { ...maxRefusals, store: limit.store } })).toBe(
      false,
    );
    expect(await record({ limit })).toBe(false);
    expect(await record({ limit: (call) => limit(call) })).toBe(true);
    expect(
      await create({ maxRefusals: undefined, onRefusal: undefined }).recordRefusal(
        { id: "ada" },
        event,
      ),
    ).toBe(false);
    for (const user of [{ id: " " }, {}, undefined])
      expect(await failure(create({}).recordRefusal(user as never, event))).toMatchObject({
        code: "invalid_input",
      });
  });

  it.each(["get", "increment"] as const)(
    "reject submissions while %s of their store fails, and never lose a response",
    async (method) => {
      const { store } = createQuota({ perDay: 1 });
      const state = { isDown: false };
      const failing = {
        ...store,
        [method]: async (key: string, ttl: number) => {
          if (state.isDown) throw new Error("The store is down.");
          return store[method](key, ttl);
        },
      };
      const { submit, poll, sent, reported, mock, refusals } = await openSite({
        maxRefusals: { ...maxRefusals, store: failing },
      });
      const { content } = await submit("ada", { prompt: blocked });
      await mock.clock.advance("2m");
      state.isDown = true;
      const before = sent.length;
      expect((await submit("ada")).status).toBe(503);
      expect(sent).toHaveLength(before);
      expect(await poll("ada", content.job_id)).toMatchObject({ error_message: "content_blocked" });
      expect(reported.map(({ message }) => message)).toEqual([
        expect.stringContaining("responded with 503"),
        expect.stringContaining("a refusal was not counted"),
      ]);
      state.isDown = false;
      await poll("ada", content.job_id);
      expect(refusals).toHaveLength(1);
    },
  );
});

describe("the operator", () => {
  it("is warned with the id of the user and the count by default", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { refuse } = await openSite({ onRefusal: undefined });
    await refuse("ada", 2);
    const messages = warn.mock.calls.map(([message]) => String(message));
    warn.mockRestore();
    expect(messages).toEqual([
      '@tryon/client/proxy: the service refused the content of a try-on of the user "ada", 1 by now. Repeated refusals can suspend the API key.',
      expect.stringContaining("2 by now. The proxy stops the submissions of this user."),
    ]);
  });

  it("can throw from onRefusal", async () => {
    const noMail = new Error("no mail");
    const { refuse, submit } = await openSite({
      onRefusal: () => {
        throw noMail;
      },
    });
    await refuse("ada", 2);
    expect((await submit("ada")).status).toBe(429);
  });
});
