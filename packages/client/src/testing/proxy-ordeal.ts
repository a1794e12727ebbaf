import { array, constantFrom, record, type Arbitrary } from "fast-check";

import { isTryOnError, TryOn, type Job } from "../index.ts";
import { createProxy, type Proxy } from "../proxy/index.ts";
import type { Fetch } from "../http/attempt.ts";
import { misfortuneNames, misfortunes } from "./misfortunes.ts";
import { ordeals } from "./ordeal.ts";
import { browserOf, busyness, byCookie, drive, mount } from "./proxy-world.ts";
import { cut, input, openWorld, silence } from "./world.ts";

const broken = (): Promise<never> => Promise.reject(new TypeError("Failed to fetch"));

/** What can go wrong between a page and the proxy. */
const nearMisfortunes = {
  "no connection": cut.refused,
  "lost on the way": broken,
  "done, and the answer lost": async (pass: () => Promise<Response>) => {
    await pass();
    return broken();
  },
  "never answered": silence.before,
  "done, never answered": (pass: () => Promise<Response>) => {
    void pass();
    return silence.before();
  },
  "done, 502 HTML": (pass: () => Promise<Response>) => answeringHtml(502, pass),
  "done, 403 HTML": (pass: () => Promise<Response>) => answeringHtml(403, pass),
} as const;

async function answeringHtml(status: number, pass: () => Promise<Response>): Promise<Response> {
  await pass();
  return new Response("<h1>Something stands before the proxy</h1>", {
    status,
    headers: { "content-type": "text/html" },
  });
}

type Near = keyof typeof nearMisfortunes;
// The keys of an object are its keys.
const nearNames = Object.keys(nearMisfortunes) as Near[];

/** Try-ons through a proxy, and everything that goes wrong before and behind it. */
export const trials = record({
  near: array(constantFrom(...nearNames), { maxLength: 3 }),
  far: array(constantFrom(...misfortuneNames), { maxLength: 4 }),
  options: ordeals.map(({ options }) => options),
  call: constantFrom("run", "submit"),
  retries: constantFrom(0, 1, 3),
  latency: constantFrom("0.1s", "40s"),
});
type Trial = typeof trials extends Arbitrary<infer Value> ? Value : never;

/** Makes a try-on through a proxy in all that goes wrong, and says what was not as promised. */
export async function undergoThroughProxy(
  trial: Trial,
  plant: (proxy: Proxy) => Proxy = (proxy) => proxy,
) {
  const { options, latency } = trial;
  const world = openWorld({ profile: "default", options, latency, journalLimit: 1 });
  const { mock, client, submissions } = world;
  const { busy, network, watched } = busyness(world.fetch);
  const proxy = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    authorize: byCookie,
    fetch: network,
    clock: mock.clock,
    onError: () => undefined,
  });
  const near = [...trial.near];
  const through = browserOf(plant(watched(proxy)), "ada", world.fetch);
  const fetch: Fetch = (url, init) => {
    const name = url.startsWith(mount) ? near.shift() : undefined;
    const pass = (): Promise<Response> => through(url, init);
    return name === undefined ? pass() : nearMisfortunes[name](pass);
  };
  world.faults.push(...trial.far.map((name) => misfortunes[name]));
  const { retries } = trial;
  const tryon = new TryOn({
    proxyUrl: mount,
    fetch,
    clock: mock.clock,
    random: () => 0.5,
    retries,
  });
  const pass = <Result>(work: Promise<Result>): Promise<Result> => drive(mock, busy, work, 5_000);
  try {
    let error: unknown;
    const made =
      trial.call === "run" ? tryon.run(input).then(({ job }) => job) : tryon.submit(input);
    let job = await pass(
      made.catch((thrown: unknown) => {
        error = thrown;
        return undefined;
      }),
    );
    // Without an error there is a job.
    for (let again = 0; job === undefined && again < 4; again += 1) {
      if (again > 0) await mock.clock.advance("2m");
      job = await pass(jobOf(error));
      near.length = 0;
      world.faults.length = 0;
    }
    near.length = 0;
    world.faults.length = 0;
    await mock.clock.advance("5m");
    const jobs = await pass(client().jobs.list().toArray());
    const charged = 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
    const seen = job && (await pass(tryon.jobs.get(job.id)));
    const checks = {
      "a typed error": error === undefined || isTryOnError(error),
      "one key": distinct(submissions().map(({ headers }) => headers.get("idempotency-key"))) <= 1,
      "the same bytes": distinct(submissions().map(({ body }) => body)) <= 1,
      "one job at most": jobs.length <= 1,
      "one charge at most": charged === jobs.length * 8,
      "a job that is not lost": jobs.length === 0 || job !== undefined,
      "the job that was made": job === undefined || job.id.startsWith(jobs[0]?.id ?? "none"),
      "a job that can be looked at": seen?.id === job?.id,
    };
    return Object.entries(checks).flatMap(([name, kept]) => (kept ? [] : name));
  } finally {
    mock.close();
  }
}

/** The job that an error leads to, if it does. */
async function jobOf(error: unknown): Promise<Job | undefined> {
  if (!isTryOnError(error)) return undefined;
  // Of several classes of errors, and absent from the rest.
  const { recover } = error as { recover?: () => Promise<Job> };
  if (error.job !== undefined || recover === undefined) return error.job;
  return recover.call(error).catch(() => undefined);
}

function distinct(values: readonly unknown[]): number {
  return new Set(values).size;
}
