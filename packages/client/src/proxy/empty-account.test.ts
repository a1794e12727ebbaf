import { expect, it } from "vitest";

import { Budget, isTryOnError } from "../index.ts";
import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { createService, cut, input, respondWith } from "../../test/service.ts";

/** Creates a site whose proxy has a key without credits. */
function createEmptyAccount() {
  const service = createService();
  return createProxyService({ apiKey: service.mock.keys.empty }, {}, service);
}

const refusal = { detail: "Try-ons are unavailable at the moment.", retryable: false };

it("responds with 503 and retryable: false, and reports the cause", async () => {
  const { run, post, reported } = createEmptyAccount();
  const response = await run(post("ada", tryOn));
  expect([response.status, await response.json()]).toEqual([503, refusal]);
  expect(reported).toMatchObject([{ status: 402, user: "ada" }]);
  expect(reported[0]?.message).toContain("Buy credits.");
});

it("ends the call of a page after one upload, which was not charged", async () => {
  const { page, error, sent, reported } = createEmptyAccount();
  const budget = new Budget({ maxCredits: 100 });
  const tryon = page("ada", { budget });
  const failed = await error(tryon.run(input));
  if (!isTryOnError(failed, "unavailable")) throw failed;
  expect(failed).toMatchObject({ status: 503, attempts: [{ status: 503 }] });
  // There is nothing to find out.
  expect(failed).not.toHaveProperty("recover");
  expect(failed).not.toHaveProperty("idempotencyKey");
  expect(budget).toMatchObject({ spent: 0, reserved: 0 });
  expect(sent).toHaveLength(1);
  expect(reported).toHaveLength(1);
});

it("leaves recover() to an error after an attempt that may have arrived", async () => {
  const { page, run, error, faults, submissions, balance } = createProxyService();
  faults.push(cut.after, respondWith(402, { detail: "No credits." }));
  const budget = new Budget({ maxCredits: 8 });
  const failed = await error(page("ada", { budget }).submit(input));
  if (!isTryOnError(failed, "unavailable")) throw failed;
  expect(submissions()).toHaveLength(2);
  expect(budget.reserved).toBe(8);
  expect((await run(failed.recover?.() ?? Promise.reject(failed))).id).toMatch(/^job_/);
  expect(await balance()).toBe(992);
});

it.each([401, 403])("does not say so for a %d, which another key can end", async (status) => {
  const { page, run, faults, submissions } = createProxyService();
  faults.push(respondWith(status, { detail: "This key was replaced." }));
  await run(page("ada").submit(input));
  expect(submissions()).toHaveLength(2);
});

it("is retried by a client with an API key, for which only the service responds", async () => {
  const { run, tryon, faults, submissions } = createService();
  faults.push(...[1, 2, 3].map(() => respondWith(503, refusal)));
  await run(tryon.submit(input));
  expect(submissions()).toHaveLength(4);
});

it("does not end the wait for a job", async () => {
  const { page, run, faults, submissions, sent } = createProxyService({}, { latency: "5s" });
  const job = await run(page("ada").submit(input));
  faults.push(respondWith(402, { detail: "No credits." }));
  expect((await run(job.result())).job.status).toBe("succeeded");
  expect(submissions()).toHaveLength(1);
  expect(sent.length).toBeGreaterThan(2);
});
