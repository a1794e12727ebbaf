import { describe, expect, it } from "vitest";

import { isTryOnError, type Middleware, type MiddlewareContext } from "../index.ts";
import { respondWith, createService, cut, fieldsOf, input, profiles } from "../../test/service.ts";

async function thrown(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(profiles)("middleware under the profile %s", (profile) => {
  it("sees each attempt to the service, in its order, and no image", async () => {
    const seen: string[] = [];
    const contexts: MiddlewareContext[] = [];
    const noting =
      (name: string): Middleware =>
      async (request, next, context) => {
        seen.push(`${name} ${request.method}`);
        contexts.push(context);
        const response = await next(request);
        seen.push(`${name} ${response.status}`);
        return response;
      };
    const { run, client, faults, sent } = createService({ profile });
    const tryon = client({ middleware: [noting("a"), noting("b")] });
    faults.push(respondWith(503, { detail: "busy" }));
    const job = await run(tryon.submit(input, { idempotencyKey: "order-17" }));
    expect(seen.slice(0, 6)).toEqual(["a POST", "b POST", "b 503", "a 503", "a POST", "b POST"]);
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2]);
    expect(contexts[0]).toEqual({ attempt: 1, purpose: "submit", idempotencyKey: "order-17" });
    const result = await run(job.result());
    const asked = seen.length;
    await run(result.image.bytes());
    expect(seen).toHaveLength(asked);
    expect(sent.at(-1)?.path).toMatch(/png$/);
  });
});

describe("middleware", () => {
  it("may change the request, in place or for another", async () => {
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
    expect(sent[0]?.headers.get("x-one")).toBe("1");
    expect(sent[0]?.headers.get("x-two")).toBe("2");
    expect(sent[0]?.headers.get("content-type")).toBe("application/json");
  });

  it("leaves the body of a request that it passes on as it is", async () => {
    const { run, client, sent } = createService();
    await run(client({ middleware: (request, next) => next(request) }).submit(input));
    expect(fieldsOf(sent[0])).toMatchObject({ person_url: input.person, wait: false });
  });

  it("never sees the key, and may sign in itself", async () => {
    const requests: Request[] = [];
    const { run, client, mock, sent } = createService();
    const tryon = client({
      middleware: async (request, next) => {
        requests.push(request);
        const response = await next(request);
        requests.push(request);
        return response;
      },
    });
    await run(tryon.account.get());
    for (const request of requests) expect(request.headers.has("authorization")).toBe(false);
    expect(sent[0]?.headers.get("authorization")).toBe(`Bearer ${mock.keys.live}`);
    const other = client({
      middleware: (request, next) => {
        request.headers.set("authorization", `Bearer ${mock.keys.test}`);
        return next(request);
      },
    });
    await run(other.account.get());
    expect(sent[1]?.headers.get("authorization")).toBe(`Bearer ${mock.keys.test}`);
  });

  it("that leads a request elsewhere does not take the key along", async () => {
    const { run, client, sent, faults } = createService();
    faults.push(respondWith(200, { name: null }));
    const tryon = client({
      middleware: (request, next) => next(new Request("https://gateway.example/a", request)),
    });
    await run(tryon.account.get());
    expect(sent[0]?.url).toBe("https://gateway.example/a");
    expect(sent[0]?.headers.has("authorization")).toBe(false);
  });

  it("may answer in the service's place", async () => {
    const { run, client, sent } = createService();
    const tryon = client({ middleware: async () => Response.json({ credits_remaining: 7 }) });
    expect((await run(tryon.account.get())).credits_remaining).toBe(7);
    expect(sent).toEqual([]);
  });

  it("that throws before anything was sent ends the call with that error", async () => {
    const { client, sent } = createService();
    const error = new Error("no token");
    const tryon = client({
      middleware: () => {
        throw error;
      },
    });
    expect(await thrown(tryon.submit(input))).toBe(error);
    expect(await thrown(tryon.account.get())).toBe(error);
    expect(sent).toEqual([]);
  });

  it("that throws during a wait leaves the job on the error", async () => {
    const { run, client, error } = createService();
    let broken = false;
    const tryon = client({
      middleware: (request, next) => (broken ? Promise.reject(new Error("no")) : next(request)),
    });
    const job = await run(tryon.submit(input));
    broken = true;
    expect(await error(job.result())).toMatchObject({ message: "no", job: { id: job.id } });
  });

  it("that throws after the request was sent is a failed connection", async () => {
    const { run, client, sent, mock } = createService();
    let count = 0;
    const tryon = client({
      middleware: async (request, next) => {
        const response = await next(request);
        count += 1;
        if (count === 1) throw new Error("cannot read");
        return response;
      },
    });
    await run(tryon.submit(input));
    expect(sent).toHaveLength(2);
    expect(mock.ledger(mock.keys.live)).toBeDefined();
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  it("that throws when an earlier attempt may have arrived leaves the outcome unknown", async () => {
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

  it("is left alone at once by a call that is aborted", async () => {
    const { client } = createService();
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const tryon = client({
      middleware: (request) => {
        signals.push(request.signal);
        controller.abort("enough");
        return new Promise(() => undefined);
      },
    });
    expect(await thrown(tryon.account.get({ signal: controller.signal }))).toBe("enough");
    expect(signals[0]?.aborted).toBe(true);
  });
});
