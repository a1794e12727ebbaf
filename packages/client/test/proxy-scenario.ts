import { array, constantFrom, record, type Arbitrary } from "fast-check";

import { isTryOnError, TryOn } from "../src/index.ts";
import { createProxy, type Proxy } from "../src/proxy/index.ts";
import type { Fetch } from "../src/http/attempt.ts";
import { networkFaultNames, networkFaults } from "./network-faults.ts";
import { faultScenarios, recoverJob } from "./fault-scenario.ts";
import { browserOf, trackActivity, byCookie, drive, mount } from "./proxy-service.ts";
import { cut, input, openService, noResponse } from "./service.ts";

const failedFetch = (): Promise<never> => Promise.reject(new TypeError("Failed to fetch"));

/** Faults between a page and the proxy. */
const pageFaults = {
  "connection refused": cut.refused,
  "request lost": failedFetch,
  "done, response lost": async (send: () => Promise<Response>) => {
    await send();
    return failedFetch();
  },
  "no response": noResponse.before,
  "done, no response": (send: () => Promise<Response>) => {
    void send();
    return noResponse.before();
  },
  "done, 502 HTML": (send: () => Promise<Response>) => respondWithHtml(502, send),
  "done, 403 HTML": (send: () => Promise<Response>) => respondWithHtml(403, send),
} as const;

async function respondWithHtml(status: number, send: () => Promise<Response>): Promise<Response> {
  await send();
  return new Response("<h1>A gateway error</h1>", {
    status,
    headers: { "content-type": "text/html" },
  });
}

type PageFault = keyof typeof pageFaults;
// TypeScript types the keys of an object as strings.
const pageFaultNames = Object.keys(pageFaults) as PageFault[];

/** Try-ons through a proxy, with faults on both sides of it. */
export const scenarios = record({
  pageFaults: array(constantFrom(...pageFaultNames), { maxLength: 3 }),
  serviceFaults: array(constantFrom(...networkFaultNames), { maxLength: 4 }),
  options: faultScenarios.map(({ options }) => options),
  call: constantFrom("run", "submit"),
  retries: constantFrom(0, 1, 3),
  latency: constantFrom("0.1s", "40s"),
});
type Scenario = typeof scenarios extends Arbitrary<infer Value> ? Value : never;

/** Runs a try-on through a proxy with faults, and returns the names of the failed checks. */
export async function runProxyScenario(
  scenario: Scenario,
  mutate: (proxy: Proxy) => Proxy = (proxy) => proxy,
) {
  const { options, latency } = scenario;
  const service = openService({ profile: "default", options, latency, journalLimit: 1 });
  const { mock, client, submissions } = service;
  const { busy, network, watched } = trackActivity(service.fetch);
  const { clock, baseUrl } = mock;
  const access = { apiKey: mock.keys.live, baseUrl, fetch: network, clock };
  const proxy = createProxy({ ...access, authorize: byCookie, onError: () => undefined });
  const faults = [...scenario.pageFaults];
  const toProxy = browserOf(mutate(watched(proxy)), "ada", service.fetch);
  const fetch: Fetch = (url, init) => {
    const name = url.startsWith(mount) ? faults.shift() : undefined;
    const send = (): Promise<Response> => toProxy(url, init);
    return name === undefined ? send() : pageFaults[name](send);
  };
  service.faults.push(...scenario.serviceFaults.map((name) => networkFaults[name]));
  const { retries } = scenario;
  const tryon = new TryOn({ proxyUrl: mount, fetch, clock, random: () => 0.5, retries });
  const advance = <Result>(work: Promise<Result>): Promise<Result> =>
    drive(mock, busy, work, 5_000);
  try {
    let error: unknown;
    const submitted =
      scenario.call === "run" ? tryon.run(input).then(({ job }) => job) : tryon.submit(input);
    let job = await advance(
      submitted.catch((thrown: unknown) => {
        error = thrown;
        return undefined;
      }),
    );
    // Without an error there is a job.
    for (let round = 0; job === undefined && round < 4; round += 1) {
      if (round > 0) await clock.advance("2m");
      job = await advance(recoverJob(error));
      faults.length = 0;
      service.faults.length = 0;
    }
    faults.length = 0;
    service.faults.length = 0;
    await clock.advance("5m");
    const jobs = await advance(client().jobs.list().toArray());
    const charged = 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
    const found = job && (await advance(tryon.jobs.get(job.id)));
    const checks = {
      "the error is typed": error === undefined || isTryOnError(error),
      "one key": distinct(submissions().map(({ headers }) => headers.get("idempotency-key"))) <= 1,
      "the same bytes": distinct(submissions().map(({ body }) => body)) <= 1,
      "at most one job": jobs.length <= 1,
      "at most one charge": charged === jobs.length * 8,
      "no lost job": jobs.length === 0 || job !== undefined,
      "the submitted job": job === undefined || job.id.startsWith(jobs[0]?.id ?? "none"),
      "the job can be polled": found?.id === job?.id,
    };
    return Object.entries(checks).flatMap(([name, passed]) => (passed ? [] : name));
  } finally {
    mock.close();
  }
}

function distinct(values: readonly unknown[]): number {
  return new Set(values).size;
}
