import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { safeVerify, sign } from "@tryon/webhooks";
import { Bench } from "tinybench";

import { plentyKey, submission } from "./plenty.ts";
import type { Findings, Subject } from "./subject.ts";

const runs = 5;
const perRun = 500;

/** Single calls in this very process: of the server, of the client on it, and of the check of a webhook. */
export const inProcess: Subject = {
  name: "calls",
  title: "Single calls in one process",
  how: `All in the process of the benchmark, by tinybench: ${runs} runs of ${perRun / 1_000} seconds for each, of which the median call is taken.`,
  measure,
};

const event = JSON.stringify({
  event: "tryon.completed",
  job_id: "job_4fK9sQ2mZx7LbT1cVw8RnE3y",
  status: "failed",
  result_url: null,
  error_code: "generation_failed",
  error_message: "content_blocked",
  duration_ms: 1_500,
  completed_at: "2026-01-01T00:00:00Z",
});
const secret = "whsec_bench";

async function measure(): Promise<Findings> {
  const mock = createMock({ seed: "bench" });
  await mock.createKey(plentyKey);
  const headers = {
    authorization: `Bearer ${plentyKey.token}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify(submission);
  const delivery = { "x-service-signature": await sign({ body: event, secret }) };
  const tryon = new TryOn({ apiKey: plentyKey.token, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const calls: Readonly<Record<string, () => Promise<void>>> = {
    "reference server: GET /api/v1/account": () =>
      expectOk(mock.fetch(`${mock.baseUrl}/api/v1/account`, { headers })),
    "reference server: POST /api/v1/tryon, wait false": () =>
      expectOk(mock.fetch(`${mock.baseUrl}/api/v1/tryon`, { method: "POST", headers, body })),
    "client on the reference server: account.get": async () => {
      await tryon.account.get();
    },
    "client on the reference server: submit": async () => {
      const { person_url: person, garment_urls: garments } = submission;
      await tryon.submit({ person, garments: [...garments] });
    },
    "webhooks: safeVerify, an event of 250 bytes": async () => {
      const outcome = await safeVerify({ body: event, headers: delivery, secrets: secret });
      if (!outcome.ok) throw new Error(outcome.message);
    },
  };
  const figures = new Map(Object.keys(calls).map((name): [string, number[]] => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    const bench = new Bench({ time: perRun, throws: true });
    for (const [name, call] of Object.entries(calls)) bench.add(name, call);
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (result.state !== "completed") throw new Error(`${name} did not end.`);
      figures.get(name)?.push(result.latency.p50 * 1_000);
    }
  }
  mock.close();
  return { rows: Array.from(figures, ([what, found]) => ({ what, unit: "µs", figures: found })) };
}

async function expectOk(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`Got ${response.status} in place of 200.`);
}
