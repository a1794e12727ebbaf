import { expect, it } from "vitest";

import type { Middleware } from "../index.ts";
import { createService, cut, input } from "../../test/service.ts";

/** Gives each answer a name of its own. */
function naming(): Middleware {
  let count = 0;
  return async (request, next) => {
    const { status, headers, body } = await next(request);
    const named = new Headers(headers);
    named.set("x-request-id", `request-${(count += 1)}`);
    return new Response(body, { status, headers: named });
  };
}

it("a receipt names the answer to the submission, also after a look at the account and a lost answer", async () => {
  const { run, client, faults } = createService({ options: { sparseSubmit: false } });
  const tryon = client({ middleware: naming(), budget: { maxCredits: 50 } });
  faults.push(undefined, cut.after);
  const { receipt } = await run(tryon.run(input, { sync: false }));
  expect(receipt).toMatchObject({ requestId: "request-2", credits: 8, balance: 992 });
  expect(receipt.attempts.map(({ status }) => status)).toEqual([undefined, 200]);
  expect(receipt.timeline.map(({ phase }) => phase)).toEqual(["sending", "waiting", "succeeded"]);
});

it("a receipt leaves out what the service does not tell, and what is not known of a job that was resumed", async () => {
  const { run, tryon } = createService({ options: { sparseSubmit: true } });
  const job = await run(tryon.submit(input));
  const { receipt } = await run(job.result());
  expect(receipt).toMatchObject({ jobId: job.id, credits: 8 });
  expect([receipt.requestId, receipt.balance]).toEqual([undefined, undefined]);
  const resumed = await run(tryon.jobs.resume(job.id).result());
  expect(resumed.receipt).toMatchObject({ jobId: job.id, credits: 8, attempts: [] });
  expect([resumed.receipt.requestId, resumed.receipt.idempotencyKey]).toEqual([
    undefined,
    undefined,
  ]);
  expect(JSON.stringify([receipt, resumed.receipt])).not.toContain("null");
});
