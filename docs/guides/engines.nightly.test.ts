import { existsSync, readFileSync } from "node:fs";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { packedPackages } from "@tryon/test-kit/packages";
import { node, root } from "@tryon/test-kit/repository";
import { chargesOf, passTime } from "@tryon/test-kit/serve-mock";
import type { Program } from "@tryon/test-kit/start-program";
import { startPostgres, startRedis } from "@tryon/test-kit/store-servers";
import { connectPostgres } from "@tryon/test-kit/store-clients";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

/** Versions of the engines in the table of the guide. */
const packages = [
  "bullmq@6.7.0",
  "pg-boss@12.38.0",
  "graphile-worker@0.18.0",
  "@dbos-inc/dbos-sdk@5.3.0",
  "@restatedev/restate-sdk@1.17.2",
  "@restatedev/restate-server@1.7.12",
  "miniflare@4.20260730.0",
  "esbuild@0.28.2",
] as const;

/** Request of an item at which its worker is killed. */
type Kill = "before the request arrives" | "before the response" | "while it polls" | "never";

const kills: readonly Kill[] = [
  "before the request arrives",
  "before the response",
  "while it polls",
  "never",
];
const items = kills.map((kill, index) => ({
  id: `item-${index}`,
  kill,
  input: {
    person: "https://shop.example/me.jpg",
    garments: [`https://shop.example/${index}.png`],
  },
}));

let app: AppFolder;
beforeAll(async () => {
  app = await AppFolder.with("engines", (await packedPackages()).client, ...packages);
  const programs = join(root, "docs/guides/engines");
  for (const file of await readdir(programs)) await cp(join(programs, file), app.path(file));
}, installing);
afterAll(() => app.remove());

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills a process and its children, such as the runtime of a worker. */
function killAll(pid: number): void {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(path) ? readFileSync(path, "utf8").split(" ") : [];
  for (const id of [pid, ...children.map(Number)])
    if (id > 0 && isRunning(id)) process.kill(id, "SIGKILL");
}

/** A service that forgets keys after half an hour, and kills the worker of each item once. */
async function startService() {
  const mock = createMock({
    clock: "manual",
    latency: 1_500,
    options: { idempotencyHours: 0.5 },
  });
  let offset = 0;
  // The list must go back beyond the first attempts.
  await mock.clock.advance(Date.now() - mock.clock.now() - 3 * 3_600_000);
  const { token } = await mock.createKey({ rateLimitPerMinute: 6_000 });
  const send = { method: "POST", headers: { authorization: `Bearer ${token}` } };
  const headers = { ...send.headers, "content-type": "application/json" };
  const { input } = items[0] ?? {};
  const old = { person_url: input?.person, garment_urls: input?.garments, wait: false };
  await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, { ...send, headers, body: JSON.stringify(old) });
  await mock.clock.advance(Date.now() - mock.clock.now());
  passTime(mock);

  const killed = new Set<Kill>();
  const keys = new Map<string, string>();
  const mayKill = (key: string, kill: Kill, pid: string): boolean => {
    if (killed.has(kill) || items.find(({ id }) => id === key)?.kill !== kill) return false;
    killed.add(kill);
    // The kill of another item may have ended it.
    killAll(Number(pid));
    return true;
  };
  const server = await serve({
    async fetch(resource) {
      // `serve` always passes a `Request`.
      const request = resource as Request;
      const pid = request.headers.get("x-process-id") ?? "";
      const key = request.headers.get("idempotency-key") ?? "";
      if (mayKill(key, "before the request arrives", pid))
        return new Response(null, { status: 503 });
      // Several jobs are polled by one request for the list.
      const job = /job_\w+|\?limit=/.exec(request.url)?.[0] ?? "";
      const polled = job.startsWith("job_") ? [keys.get(job) ?? ""] : job ? [...keys.values()] : [];
      if (polled.some((one) => mayKill(one, "while it polls", pid))) {
        return new Response(null, { status: 503 });
      }
      // A copy, since the connection may be about to close.
      const { url, method, headers: fields } = request;
      const body = method === "POST" ? await request.text() : null;
      const response = await mock.fetch(url, { method, headers: fields, body });
      mayKill(key, "before the response", pid);
      const { job_id } = (await response.clone().json()) as { job_id?: string };
      if (key && job_id !== undefined) keys.set(job_id, key);
      return response;
    },
  });
  onTestFinished(async () => {
    mock.close();
    await server.close();
  });
  return {
    killed,
    environment: () => ({
      TRYON_API_KEY: token,
      TRYON_BASE_URL: server.url,
      OFFSET: String(offset),
    }),
    /** Lets the service forget its keys. */
    async skip(): Promise<void> {
      offset += 2 * 3_600_000;
      await mock.clock.advance(2 * 3_600_000);
    },
    /** Number of try-ons that were charged, without the old one. */
    async charges(): Promise<number> {
      return (await chargesOf(mock, token)).length - 1;
    },
  };
}

type Service = Awaited<ReturnType<typeof startService>>;

/** Runs the items, and starts another worker hours after each that is killed. Returns the items that are done. */
async function runItems(
  file: string,
  service: Service,
  environment: Record<string, string>,
  onKill: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  let output = "";
  for (let count = 0; ; count += 1) {
    const program: Program = app.start(node, [file], {
      ...service.environment(),
      ...environment,
      ITEMS: JSON.stringify(items),
      IS_FIRST: String(count === 0),
    });
    onTestFinished(() => killAll(program.child.pid ?? 0));
    let end: Awaited<typeof program.ended> | undefined;
    void program.ended.then((value) => (end = value));
    const done = (): string[] =>
      Array.from((output + program.text).matchAll(/^done (.*)$/gm), ([, id]) => id ?? "");
    await expect
      .poll(() => end !== undefined || new Set(done()).size === items.length, {
        timeout: 90_000,
        interval: 200,
      })
      .toBe(true);
    if (end === undefined) return done();
    if (end.signal !== "SIGKILL") throw new Error(program.text);
    output += program.text;
    await service.skip();
    await onKill();
  }
}

/** Outcome of workers that were killed and have ended and charged each item once. */
const once = {
  done: items.length,
  killed: kills.slice(0, -1).toSorted(),
  charges: items.length,
};

async function outcomeOf(done: readonly string[], service: Service) {
  return {
    done: new Set(done).size,
    killed: [...service.killed].toSorted(),
    charges: await service.charges(),
  };
}

it.runIf(await isInstalled("postgres")).each([
  ["pg-boss.mjs", ""],
  // It gives the items of a killed worker to another one after four hours.
  [
    "graphile-worker.mjs",
    "UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '5 hours'; UPDATE graphile_worker._private_job_queues SET locked_at = locked_at - interval '5 hours'",
  ],
  ["dbos.mjs", ""],
])(
  "%s charges each item once, although workers are killed and keys forgotten",
  async (file, sql) => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.remove());
    // DBOS needs a host name, which the parameter replaces.
    const url = postgres.url.replace("@/", "@localhost/");
    const service = await startService();
    const onKill = async (): Promise<void> => {
      const { client, close } = await connectPostgres(postgres.url);
      if (sql) await client.query(sql);
      await close();
    };
    expect(
      await outcomeOf(await runItems(file, service, { DATABASE_URL: url }, onKill), service),
    ).toEqual(once);
  },
);

it.runIf(await isInstalled("redis"))(
  "bullmq.mjs charges each item once, although workers are killed and keys forgotten",
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const service = await startService();
    const done = await runItems("bullmq.mjs", service, { REDIS_URL: redis.url });
    expect(await outcomeOf(done, service)).toEqual(once);
  },
);

it("cloudflare.mjs charges each item once, although workers are killed and keys forgotten", async () => {
  const service = await startService();
  expect(await outcomeOf(await runItems("cloudflare.mjs", service, {}), service)).toEqual(once);
});

const post = async (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

it("restate.mjs charges each item once, although workers are killed and keys forgotten", async () => {
  const ports = Array.from({ length: 4 }, freePort);
  const [port, ingress, admin, bind] = await Promise.all(ports);
  const binary = "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server";
  const restate = app.start(app.path(binary), ["--base-dir", app.path("restate-data")], {
    RESTATE_DISABLE_TELEMETRY: "true",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_BIND_IP: "127.0.0.1",
    RESTATE_BIND_PORT: String(bind),
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DEFAULT_NUM_PARTITIONS: "1",
  });
  onTestFinished(async () => void (await restate.stop("SIGKILL")));
  const service = await startService();
  const running = runItems("restate.mjs", service, { PORT: String(port) });
  await expect
    .poll(
      async () => {
        const uri = `http://127.0.0.1:${port}`;
        const response = await post(`http://127.0.0.1:${admin}/deployments`, { uri }).catch(
          () => undefined,
        );
        return response?.ok;
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true);
  for (const item of items) {
    await post(`http://127.0.0.1:${ingress}/tryOns/${item.id}/run/send`, item);
  }
  expect(await outcomeOf(await running, service)).toEqual(once);
});
