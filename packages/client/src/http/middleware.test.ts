import { describe, expect, it } from "vitest";

import { Budget, isTryOnError, type Middleware, type MiddlewareContext } from "../index.ts";
import {
  createService,
  cut,
  fieldsOf,
  input,
  respondAfter,
  respondWith,
  type Fault,
} from "../../test/service.ts";

it("runs in order for each attempt, and not for an image", async () => {
  const seen: string[] = [];
  const contexts: MiddlewareContext[] = [];
  const record =
    (name: string): Middleware =>
    async (request, next, context) => {
      seen.push(`${name} ${request.method}`);
      contexts.push(context);
      const response = await next(request);
      seen.push(`${name} ${response.status}`);
      return response;
    };
  const { run, client, faults, sent } = createService();
  const tryon = client({ middleware: [record("a"), record("b")] });
  faults.push(respondWith(503, { detail: "busy" }));
  const job = await run(tryon.submit(input, { idempotencyKey: "order-17" }));
  expect(seen.slice(0, 6)).toEqual(["a POST", "b POST", "b 503", "a 503", "a POST", "b POST"]);
  expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2]);
  expect(contexts[0]).toEqual({ attempt: 1, purpose: "submit", idempotencyKey: "order-17" });
  expect(fieldsOf(sent[0])).toMatchObject({ person_url: input.person, wait: false });
  const result = await run(job.result());
  const count = seen.length;
  await run(result.image.bytes());
  expect(seen).toHaveLength(count);
  expect(sent.at(-1)?.path).toMatch(/png$/);
});

describe("a middleware", () => {
  it("changes or replaces the request", async () => {
    const { run, client, sent } = createService();
    const tryon = client({
      middleware: [
        (request, next) => {
          request.headers.set("x-one", "1");
          return next(request);
        },
        async (request, next) => {
          const body = JSON.stringify({ ...(await request.json()), prompt: "red" });
          const headers = new Headers(request.headers);
          headers.set("x-two", "2");
          return next(new Request(request.url, { method: "POST", headers, body }));
        },
      ],
    });
    await run(tryon.submit(input));
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      "x-one": "1",
      "x-two": "2",
      "content-type": "application/json",
    });
    expect(fieldsOf(sent[0])).toMatchObject({ person_url: input.person, prompt: "red" });
  });

  it("receives no key, and can authenticate itself", async () => {
    const requests: Request[] = [];
    const { run, client, mock, sent } = createService();
    const passOn: Middleware = async (request, next) => {
      requests.push(request);
      const response = await next(request);
      requests.push(request);
      return response;
    };
    const authenticate: Middleware = (request, next) => {
      request.headers.set("authorization", `Bearer ${mock.keys.test}`);
      return next(request);
    };
    await run(client({ middleware: passOn }).account.get());
    for (const request of requests) expect(request.headers.has("authorization")).toBe(false);
    await run(client({ middleware: authenticate }).account.get());
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(
      [mock.keys.live, mock.keys.test].map((key) => `Bearer ${key}`),
    );
  });

  it("does not send the key to another origin", async () => {
    const { run, client, sent, faults } = createService();
    faults.push(respondWith(200, { name: null }));
    const tryon = client({
      middleware: (request, next) => next(new Request("https://gateway.example/a", request)),
    });
    await run(tryon.account.get());
    expect(sent[0]?.url).toBe("https://gateway.example/a");
    expect(sent[0]?.headers.has("authorization")).toBe(false);
  });

  it("can respond instead of the service", async () => {
    const { run, client, sent } = createService();
    const tryon = client({ middleware: async () => Response.json({ credits_remaining: 7 }) });
    expect((await run(tryon.account.get())).credits_remaining).toBe(7);
    expect(sent).toEqual([]);
  });

  it("ends the call with its error if it throws before the request is sent", async () => {
    const { error, client, sent } = createService();
    const cause = new Error("no token");
    const budget = new Budget({ maxCredits: 8 });
    const throws = () => {
      throw cause;
    };
    for (const middleware of [throws, () => Promise.reject(cause)]) {
      const tryon = client({ middleware });
      expect(await error(tryon.submit(input, { budget }))).toBe(cause);
      expect(await error(tryon.account.get())).toBe(cause);
    }
    expect([sent, budget.spent + budget.reserved]).toEqual([[], 0]);
  });

  it("adds the job to its error if it throws during a wait", async () => {
    const { run, client, error } = createService();
    let isBroken = false;
    const tryon = client({
      middleware: (request, next) => (isBroken ? Promise.reject(new Error("no")) : next(request)),
    });
    const job = await run(tryon.submit(input));
    isBroken = true;
    expect(await error(job.result())).toMatchObject({ message: "no", job: { id: job.id } });
  });

  it("causes a retry, as a failed connection, if it throws after the request was sent", async () => {
    const { run, client, sent, balance } = createService();
    const tryon = client({
      middleware: async (request, next, { attempt }) => {
        const response = await next(request);
        if (attempt === 1) throw new Error("cannot read");
        return response;
      },
    });
    await run(tryon.submit(input));
    expect(sent).toHaveLength(2);
    expect(await balance()).toBe(992);
  });

  it("leaves the outcome unknown if it throws after an earlier attempt", async () => {
    const { error, client, faults } = createService();
    const cause = new Error("no token");
    faults.push(cut.after);
    const tryon = client({
      middleware: (request, next, { attempt }) =>
        attempt === 1 ? next(request) : Promise.reject(cause),
    });
    const failed = await error(tryon.submit(input));
    if (!isTryOnError(failed, "outcome_unknown")) throw failed;
    expect(failed.cause).toMatchObject({ cause });
    expect(failed.attempts).toMatchObject([
      { failure: "connection_failed" },
      { failure: "unsent" },
    ]);
  });

  it.each<[string, Middleware, Fault[]]>([
    [
      "sends the request again, without a connection",
      async (request, next) => {
        try {
          return await next(request);
        } catch {
          return next(request);
        }
      },
      [cut.after, cut.refused],
    ],
    [
      "sends the request again after a response, without a connection",
      async (request, next) => {
        await next(request);
        return next(request);
      },
      [respondAfter(401, "<h1>Sign in</h1>"), cut.refused],
    ],
    [
      "fails with ECONNREFUSED after the response",
      async (request, next) => {
        await next(request);
        throw Object.assign(new Error("no log server"), { code: "ECONNREFUSED" });
      },
      [],
    ],
  ])("leaves the outcome unknown if it %s", async (_what, middleware, given) => {
    const { error, client, faults, balance } = createService();
    faults.push(...given);
    const failed = await error(client({ middleware, retries: 0 }).submit(input));
    expect(failed).toMatchObject({ code: "outcome_unknown" });
    expect(await balance()).toBe(992);
  });

  it("does not delay the end of an aborted call", async () => {
    const { error, client } = createService();
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const tryon = client({
      middleware: (request) => {
        signals.push(request.signal);
        controller.abort("enough");
        return new Promise(() => undefined);
      },
    });
    expect(await error(tryon.account.get({ signal: controller.signal }))).toBe("enough");
    expect(signals[0]?.aborted).toBe(true);
  });
});
