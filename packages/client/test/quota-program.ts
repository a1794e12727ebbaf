/*
 * Program of a server with a quota. It submits new try-ons of one user until the quota rejects one, and prints the
 * allowed ones. Then it reports 200 refused jobs, the same as every other program, and prints those that it has counted.
 */
import { createQuota } from "../src/proxy/index.ts";
import { connectQuotaStore } from "./quota-stores.ts";
import { createRefusalProxy } from "./refusal-proxy.ts";

const [url = "", perDay = ""] = process.argv.slice(2);
const { store, close } = await connectQuotaStore(url);
// Every program counts the same day, and no minute ends.
const limit = createQuota({
  perDay: Number(perDay),
  perMinute: 1_000_000,
  store,
  clock: { now: () => 0 },
});
const request = new Request("https://shop.example");
const call = { user: { id: "ada" }, kind: "submit", request } as const;

for (;;) {
  const verdict = await limit({ ...call, idempotencyKey: crypto.randomUUID() });
  if (verdict !== true) break;
  process.stdout.write("allowed\n");
}
process.stdout.write("full\n");
const proxy = createRefusalProxy({ store, clock: { now: () => 0 } });
for (let job = 0; job < 200; job += 1) {
  if (await proxy.report("ada", `job_${job}`)) process.stdout.write("counted\n");
}
process.stdout.write(`${await proxy.submit("ada")}\n`);
await close();
