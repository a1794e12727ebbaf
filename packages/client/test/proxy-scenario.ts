import { array, constantFrom, record } from "fast-check";

import { isTryOnError } from "../src/index.ts";
import type { Proxy } from "../src/proxy/index.ts";
import type { Fetch } from "../src/config/options.ts";
import {
  anyOptions,
  networkFaultNames,
  networkFaults,
  recoverJob,
  type ValueOf,
} from "./fault-scenario.ts";
import { createProxyService, mount } from "./proxy-service.ts";
import { cut, input, openService, noResponse } from "./service.ts";

type Send = () => Promise<Response>;

const failedFetch: Send = () => Promise.reject(new TypeError("Failed to fetch"));
/** Creates a fault that replaces the response to a request that arrived. */
const gatewayError = (status: number) => async (send: Send) => {
  await send();
  const headers = { "content-type": "text/html" };
  return new Response("<h1>A gateway error</h1>", { status, headers });
};

/** Faults between a page and the proxy. */
const pageFaults = {
  "connection refused": cut.refused,
  "request lost": failedFetch,
  "done, response lost": (send: Send) => send().then(failedFetch),
  "no response": noResponse.before,
  "done, no response": (send: Send) => {
    void send();
    return noResponse.before();
  },
  "done, 502 HTML": gatewayError(502),
  "done, 403 HTML": gatewayError(403),
} as const;

type PageFault = keyof typeof pageFaults;
// TypeScript types the keys of an object as strings.
const pageFaultNames = Object.keys(pageFaults) as PageFault[];

/** Try-ons through a proxy, with faults on both sides of it. */
export const scenarios = record({
  pageFaults: array(constantFrom(...pageFaultNames), { maxLength: 3 }),
  serviceFaults: array(constantFrom(...networkFaultNames), { maxLength: 4 }),
  options: anyOptions,
  call: constantFrom("run", "submit"),
  retries: constantFrom(0, 1, 3),
  latency: constantFrom("0.1s", "40s"),
});
type Scenario = ValueOf<typeof scenarios>;

/** Runs a try-on through a proxy with faults, and returns the names of the failed checks. */
export async function runProxyScenario(
  { options, latency, retries, ...scenario }: Scenario,
  mutate: (proxy: Proxy) => Proxy = (proxy) => proxy,
) {
  const upstream = openService({ profile: "default", options, latency, journalLimit: 1 });
  const service = createProxyService({}, {}, upstream);
  const { mock, client, keys, bodies } = service;
  const toProxy = service.browser("ada", mutate(service.proxy));
  const faults = [...scenario.pageFaults];
  const fetch: Fetch = (url, init) => {
    const name = url.startsWith(mount) ? faults.shift() : undefined;
    const send = (): Promise<Response> => toProxy(url, init);
    return name === undefined ? send() : pageFaults[name](send);
  };
  service.faults.push(...scenario.serviceFaults.map((name) => networkFaults[name]));
  const stopFaults = (): void => {
    faults.length = 0;
    service.faults.length = 0;
  };
  const tryon = service.page("ada", { fetch, retries });
  const advance = <Result>(work: Promise<Result>): Promise<Result> => service.run(work, 5_000);
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
      if (round > 0) await mock.clock.advance("2m");
      job = await advance(recoverJob(error));
      stopFaults();
    }
    stopFaults();
    await mock.clock.advance("5m");
    const jobs = await advance(client().jobs.list().toArray());
    const charged = 1_000 - ((await service.balance()) ?? 0);
    const found = job && (await advance(tryon.jobs.get(job.id)));
    const checks = {
      "the error is typed": error === undefined || isTryOnError(error),
      "one key": keys().size <= 1,
      "the same bytes": bodies().size <= 1,
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
