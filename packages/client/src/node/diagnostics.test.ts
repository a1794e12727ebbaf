import { tracingChannel } from "node:diagnostics_channel";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn, type Middleware, type MiddlewareContext } from "../index.ts";
import {
  assetBytes,
  createService,
  cut,
  failure,
  input,
  respondWith,
  usesNode,
} from "../../test/service.ts";
import { diagnostics, type JobMessage, type RequestMessage } from "./index.ts";

/** Message of either channel. */
type Message = Partial<RequestMessage & JobMessage>;

function recorded(name = "tryon:request") {
  const seen: [string, Message][] = [];
  const channel = tracingChannel<unknown, Message>(name);
  const note = (event: string) => (message: unknown) => {
    // The channel has only messages of this type.
    seen.push([event, { ...(message as Message) }]);
  };
  const subscriber = {
    start: note("start"),
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: note("asyncEnd"),
    error: note("error"),
  };
  channel.subscribe(subscriber);
  onTestFinished(() => channel.unsubscribe(subscriber));
  return { seen };
}

const recordedJobs = () => recorded("tryon:job");

it("publishes the start and the end of each attempt", async () => {
  const { seen } = recorded();
  const { run, client, mock, faults } = createService();
  const tryon = client({ middleware: diagnostics({ clock: mock.clock }) });
  faults.push(cut.before, async (_request, pass) => {
    await mock.clock.advance(40);
    return pass();
  });
  await run(tryon.submit(input, { idempotencyKey: "order-17" }));
  const about = {
    method: "POST",
    path: "/api/v1/tryon",
    purpose: "submit",
    idempotencyKey: "order-17",
  };
  expect(seen.map(([name]) => name)).toEqual(["start", "error", "asyncEnd", "start", "asyncEnd"]);
  expect(seen[0]?.[1]).toEqual({ ...about, attempt: 1 });
  const message = usesNode ? "read ECONNRESET" : "fetch failed";
  expect(seen[1]?.[1]).toMatchObject({ ...about, attempt: 1, error: { message } });
  expect(seen[4]?.[1]).toMatchObject({ ...about, attempt: 2, status: 200 });
  expect(seen[4]?.[1].duration).toBeGreaterThanOrEqual(40);
  expect(JSON.stringify(seen)).not.toContain(mock.keys.live);
  expect(JSON.stringify(seen)).not.toContain("shop.example");
});

/** Creates a service whose client publishes its jobs. */
function createTracedService() {
  const service = createService();
  const { mock } = service;
  const create = () =>
    service.client({ middleware: diagnostics({ clock: mock.clock }), retries: 1 });
  return { ...service, tryon: create(), create };
}

const order = { idempotencyKey: "order-17" };

describe("a job", () => {
  it.each<[string, (tryon: TryOn) => Promise<unknown>]>([
    ["run", (tryon) => tryon.run(input, { ...order, sync: false })],
    ["a synchronous run", (tryon) => tryon.run(input, { ...order, sync: true })],
    ["submit and a wait", async (tryon) => (await tryon.submit(input, order)).result()],
    ["waitAll", async (tryon) => tryon.jobs.waitAll([await tryon.submit(input, order)])],
  ])("is published from its submission to its end by %s", async (_name, call) => {
    const { seen } = recordedJobs();
    const { run, tryon, mock, faults } = createTracedService();
    const startedAt = mock.clock.now();
    faults.push(cut.before);
    await run(call(tryon));
    expect(seen.map(([name]) => name)).toEqual(["start", "asyncEnd"]);
    expect(seen[0]?.[1]).toEqual({ ...order, attempts: 0 });
    const { duration, ...end } = seen[1]?.[1] ?? {};
    const jobId = expect.stringMatching(/^job_/);
    expect(end).toEqual({ ...order, attempts: 2, jobId, status: "succeeded", credits: 8 });
    expect(duration).toBeGreaterThan(1_000);
    expect(duration).toBeLessThanOrEqual(mock.clock.now() - startedAt);
    expect(JSON.stringify(seen)).not.toMatch(/https?:|svc_/);
  });

  it("ends with an error if it has failed", async () => {
    const { seen } = recordedJobs();
    const { error, tryon, mock } = createTracedService();
    mock.nextJob({ outcome: "content_blocked" });
    await error(tryon.run(input, order));
    expect(seen.map(([name]) => name)).toEqual(["start", "error", "asyncEnd"]);
    const { jobId, error: reason, ...end } = seen[2]?.[1] ?? {};
    expect(end).toMatchObject({ ...order, attempts: 1, status: "failed" });
    expect(reason).toMatchObject({
      message: `Job ${jobId} failed: generation_failed.`,
      code: "generation_failed",
    });
  });

  it("ends with an error if its submission is refused, and starts again with the next one", async () => {
    const { seen } = recordedJobs();
    const { run, error, tryon, faults } = createTracedService();
    faults.push(respondWith(402, { detail: "Not enough credits for https://shop.example" }));
    await error(tryon.run(input, order));
    expect(seen.map(([name]) => name)).toEqual(["start", "error", "asyncEnd"]);
    const refusal = { message: "The submission was refused with status 402.", code: "402" };
    expect(seen[2]?.[1]).toMatchObject({ ...order, attempts: 1, error: refusal });
    expect(seen[2]?.[1]).not.toHaveProperty("jobId");
    await run(tryon.run(input, order));
    expect(seen.slice(3).map(([name]) => name)).toEqual(["start", "asyncEnd"]);
  });

  it("does not end with a refusal after an attempt that may have made it", async () => {
    const { seen } = recordedJobs();
    const { run, error, tryon, faults } = createTracedService();
    faults.push(cut.after, respondWith(402, { detail: "Not enough credits" }));
    expect(await error(tryon.run(input, order))).toMatchObject({ code: "outcome_unknown" });
    expect(seen.map(([name]) => name)).toEqual(["start"]);
    await run(tryon.run(input, order));
    expect(seen.map(([name]) => name)).toEqual(["start", "asyncEnd"]);
    expect(seen[1]?.[1]).toMatchObject({ attempts: 3, status: "succeeded" });
  });

  it("has one start and one end over concurrent and later calls with its key", async () => {
    const { seen } = recordedJobs();
    const { run, tryon } = createTracedService();
    const submit = { ...order, sync: false };
    const [first] = await run(Promise.all([tryon.run(input, submit), tryon.run(input, submit)]));
    await run(tryon.run(input, submit));
    await run(tryon.jobs.get(first.job.id));
    expect(seen.map(([name]) => name)).toEqual(["start", "asyncEnd"]);
    expect(seen[1]?.[1]).toMatchObject({ attempts: 2, jobId: first.job.id });
  });

  it("that is found in the list by its key ends, too", async () => {
    const { seen } = recordedJobs();
    const service = createService({ latency: "40m" }, { retries: 0 });
    const { run, error, client, mock, faults } = service;
    const options = { keyInMetadata: true, retries: 0, middleware: diagnostics() };
    const tryon = client(options);
    faults.push(cut.after);
    const unknown = await error(tryon.submit(input, order));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    await mock.clock.advance("28m");
    const job = await run(unknown.recover());
    await run(job.result({ timeout: "1h" }));
    expect(seen.map(([name]) => name)).toEqual(["start", "asyncEnd"]);
    expect(seen[1]?.[1]).toMatchObject({ ...order, attempts: 1, jobId: job.id });
  });

  it.each([{}, { transport: "fetch" } as const])(
    "is the same over HTTP with %o",
    async (options) => {
      const { seen } = recordedJobs();
      const mock = createMock({ latency: 0 });
      const server = await serve(mock, { port: 0 });
      onTestFinished(() => server.close());
      const tryon = new TryOn({
        apiKey: mock.keys.live,
        baseUrl: server.url,
        middleware: diagnostics(),
        ...options,
      });
      const upload = { ...input, person: assetBytes("person.jpg") };
      const { job } = await tryon.run(upload, order);
      const other = await tryon.submit(upload);
      // On a slow machine, the job can still run when the first response comes.
      await expect.poll(async () => (await tryon.jobs.get(other.id)).status).toBe("succeeded");
      tryon.close();
      const names = ["start", "asyncEnd", "start", "asyncEnd"];
      expect(seen.map(([name]) => name)).toEqual(names);
      const end = { attempts: 1, status: "succeeded", credits: 8 };
      expect(seen[1]?.[1]).toMatchObject({ ...order, ...end, jobId: job.id });
      expect(seen[3]?.[1]).toMatchObject({ ...end, jobId: other.id });
    },
  );
});

/** Sends a request through a middleware of `diagnostics`, and counts the copies of the response. */
async function passOn(
  middleware: Middleware,
  response: Response,
  context: Partial<MiddlewareContext>,
) {
  let copies = 0;
  const clone = () => {
    copies += 1;
    return Response.prototype.clone.call(response);
  };
  Object.assign(response, { clone });
  const request = new Request("https://tryon.example/api/v1/tryon");
  const about = { attempt: 1, purpose: "submit", ...context } as const;
  expect(await middleware(request, async () => response, about)).toBe(response);
  return copies;
}

const running = (id: string) => Response.json({ job_id: id, status: "running" });
const ended = (id: string) => Response.json({ job_id: id, status: "succeeded" });

it("copies no response unless `tryon:job` has subscribers and a job is open", async () => {
  const middleware = diagnostics();
  recorded();
  expect(await passOn(middleware, running("job_1"), order)).toBe(0);
  recordedJobs();
  expect(await passOn(middleware, running("job_1"), { purpose: "read" })).toBe(0);
  expect(await passOn(middleware, running("job_1"), order)).toBe(1);
  expect(await passOn(middleware, running("job_1"), { purpose: "read" })).toBe(1);
  expect(await passOn(middleware, running("job_1"), { purpose: "purchase" })).toBe(0);
  expect(await passOn(middleware, ended("job_1"), { purpose: "read" })).toBe(1);
  expect(await passOn(middleware, ended("job_1"), { purpose: "read" })).toBe(0);
  expect(await passOn(middleware, ended("job_1"), order)).toBe(0);
});

it("keeps the last 10,000 jobs without an end", async () => {
  const { seen } = recordedJobs();
  const middleware = diagnostics();
  const request = new Request("https://tryon.example/api/v1/tryon");
  const submit = (count: number) =>
    failure(
      middleware(request, () => Promise.reject(new TypeError("fetch failed")), {
        attempt: 1,
        purpose: "submit",
        idempotencyKey: `order-${count}`,
      }),
    );
  for (let count = 0; count <= 10_000; count += 1) await submit(count);
  expect(seen).toHaveLength(10_001);
  await submit(1);
  expect(seen).toHaveLength(10_001);
  await submit(0);
  expect(seen[10_001]).toEqual(["start", { idempotencyKey: "order-0", attempts: 0 }]);
});

it.each([
  ["is HTML", () => new Response("<h1>Welcome</h1>")],
  ["has no job", () => Response.json({ jobs: [null, { job_id: "../a", status: "succeeded" }] })],
  ["has no body", () => new Response(null)],
  ["exceeds 8 MiB", () => new Response(`{"job_id":"job_1","status":"succeeded"}`.padEnd(9e6))],
  ["breaks off", () => new Response(new ReadableStream({ start: (body) => body.error("cut") }))],
])("passes on a response that %s", async (_name, respond) => {
  const { seen } = recordedJobs();
  const middleware = diagnostics();
  await passOn(middleware, respond(), order);
  await passOn(middleware, respond(), { purpose: "read" });
  expect(seen.map(([name]) => name)).toEqual(["start"]);
});
