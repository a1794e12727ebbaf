import { cases, seed } from "@tryon/test-kit/cases";
import { expect, test } from "vitest";

import { controlToken } from "../../test/control-token.ts";
import { controls } from "../../test/controls.ts";
import { command, type Command } from "../../test/command.ts";
import { tryOn } from "../../test/caller.ts";
import { loadClient, runConcurrently, type LoadResponse } from "../../test/load-client.ts";
import { ledgerOf, listAllJobs } from "../../test/load-scenario.ts";
import { loopback } from "../../test/loopback.ts";
import { signatureOf } from "../../test/receiver.ts";
import { stateFile } from "../../test/temporary-files.ts";
import { SeededRandom } from "../system/random.ts";

/** Kills before the state is checked in full, and another file is used. */
const killsPerFile = 25;
const files = cases(1_000) === 1_000 ? 40 : 1;

const credits = 1_000_000;
const costs = { "1K": 8, "2K": 12, "4K": 20 } as const;

/** Submission or purchase that was sent, and its response if it arrived. */
interface Sent {
  readonly number: number;
  readonly isPurchase: boolean;
  response: LoadResponse | undefined;
}

/** Sends submissions and purchases, kills the server after some responses, and returns what was sent. */
async function killUnderLoad(
  run: Command,
  first: number,
  random: SeededRandom,
  hook: string,
): Promise<readonly Sent[]> {
  const url = await run.listening;
  const client = loadClient(url, "svc_live_mock", 8);
  const sent: Sent[] = [];
  const draw = (max: number): number => Math.floor(random.fraction() * max);
  // The server is killed in the middle of its work on the other requests.
  const killAfter = 1 + draw(60);
  const turns = draw(30);
  let responses = 0;
  const work = async (index: number): Promise<void> => {
    const one: Sent = { number: first + index, isPurchase: index % 10 === 3, response: undefined };
    sent.push(one);
    one.response = await send(client, one, hook);
    responses += 1;
    if (responses !== killAfter) return;
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    run.child.kill("SIGKILL");
  };
  // Every request that is open at the kill fails.
  await runConcurrently(killAfter + 8, 8, work).catch(() => undefined);
  await run.ended;
  client.close();
  return sent;
}

/** Sends a submission or a purchase that depends on its number alone, so that it can be repeated. */
async function send(
  client: ReturnType<typeof loadClient>,
  { number, isPurchase }: Sent,
  hook: string,
): Promise<LoadResponse> {
  if (isPurchase) {
    const order = { pack_slug: "demo", shared_payment_granted_token: `spt_order_${number}` };
    return client.send("POST", "/api/v1/credits/purchase", { body: order });
  }
  const body = tryOn({
    wait: number % 3 === 0,
    output_size: sizeOf(number),
    webhook_url: number % 2 === 0 ? hook : null,
    prompt: number % 7 === 0 ? "mock:model_rejected" : null,
  });
  return client.send("POST", "/api/v1/tryon", { body, idempotencyKey: `order-${number}` });
}

function sizeOf(number: number): keyof typeof costs {
  return (["1K", "2K", "4K"] as const)[number % 3] ?? "1K";
}

/** Repeats everything that was sent before a kill. Responses from before are valid again. */
async function repeatAll(url: string, sent: readonly Sent[], hook: string): Promise<void> {
  const client = loadClient(url, "svc_live_mock", 8);
  await Promise.all(
    sent.map(async (one) => {
      const repeated = await send(client, one, hook);
      expect(repeated.status).toBe(200);
      const id = one.isPurchase ? "payment_intent_id" : "job_id";
      one.response ??= repeated;
      expect(repeated.body[id]).toBe(one.response.body[id]);
    }),
  );
  client.close();
}

/** Checks the whole state after all jobs and deliveries have ended. */
async function checkState(url: string, sent: readonly Sent[]): Promise<void> {
  const client = loadClient(url, "svc_live_mock", 1);
  await client.send("POST", "/__mock/clock", { key: controlToken, body: { run_all: true } });
  const submissions = sent.filter(({ isPurchase }) => !isPurchase);
  const jobIds = submissions.map(({ response }) => String(response?.body["job_id"]));
  const succeeded = await listAllJobs(client, "succeeded");
  const failed = await listAllJobs(client, "failed");
  expect([...succeeded, ...failed].toSorted(), "each job in one state").toEqual(jobIds.toSorted());
  expect([succeeded, failed]).not.toContainEqual([]);

  const { balance, entries, byCause, costs: charged } = await ledgerOf(client, "svc_live_mock");
  const sum = entries.reduce((total, entry) => total + entry.credits, 0);
  expect(sum, "the sum of the ledger").toBe(balance);
  expect(byCause("refund")).toEqual([]);
  expect(byCause("tryon")).toHaveLength(jobIds.length);
  expect(charged).toEqual(
    new Map(submissions.map(({ number }, index) => [jobIds[index], costs[sizeOf(number)]])),
  );
  expect(byCause("purchase")).toHaveLength(sent.length - submissions.length);
  client.close();
}

test(
  `a server that is killed at ${files * killsPerFile} random moments loses nothing and charges once`,
  { timeout: 3_600_000 },
  async () => {
    const random = new SeededRandom(`kills ${seed}`);
    const receiver = await loopback((_path, number) => ({ status: number % 4 === 0 ? 503 : 204 }));
    const hook = `${receiver.url}/hook`;
    let kills = 0;
    for (let index = 0; index < files; index += 1) {
      const file = stateFile();
      const flags = `--port 0 --quiet --latency 30ms --credits ${credits}`.split(" ");
      const start = (): Command => command(...flags, "--state", file);
      const all: Sent[] = [];
      let last: readonly Sent[] = [];
      for (let kill = 0; kill < killsPerFile; kill += 1) {
        const run = start();
        await repeatAll(await run.listening, last, hook);
        last = await killUnderLoad(run, all.length, random, hook);
        all.push(...last);
        kills += 1;
      }
      const run = start();
      const url = await run.listening;
      await repeatAll(url, all, hook);
      await checkState(url, all);
      const hooked = all.filter(({ number, isPurchase }) => !isPurchase && number % 2 === 0);
      const delivered = new Set(
        receiver.arrived
          .filter(({ headers, body }) => {
            const signature = signatureOf(body, "whsec_mock");
            return headers["x-service-signature"] === signature;
          })
          .map(({ headers }) => headers["x-service-job-id"]),
      );
      expect(delivered).toEqual(new Set(hooked.map(({ response }) => response?.body["job_id"])));
      const { body: deliveries } = await controls(fetch, url, controlToken).get("deliveries");
      expect(JSON.stringify(deliveries)).not.toContain('"state":"pending"');
      receiver.arrived.splice(0);
      run.child.kill("SIGTERM");
      expect(await run.ended).toEqual({ code: 0, signal: null });
    }
    expect(kills).toBe(files * killsPerFile);
  },
);
