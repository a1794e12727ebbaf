import { describe, expect, test } from "vitest";

import type { Engine } from "../engine/engine.ts";
import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";

function withEngine(render: Engine["render"]) {
  const mock = createMock({ clock: "manual", engine: { name: "own", render } });
  return { mock, call: caller(mock) };
}

describe("a custom engine", () => {
  test.each([
    ["throws", () => Promise.reject(new Error("out of memory at svc_live_mock"))],
    ["returns no PNG", async () => new TextEncoder().encode("<html></html>".repeat(9))],
    ["returns no bytes", async () => new Uint8Array()],
  ])("that %s fails the job", async (_what, render) => {
    const { mock, call } = withEngine(render);
    const job = await finished(mock, call);
    expect(job).toMatchObject({
      status: "failed",
      error_code: "generation_failed",
      error_message: "model_rejected",
    });
  });

  test("that rejects an image causes a 400 without a charge, but not for a replay", async () => {
    let [rejectedField, prepared] = ["garment_urls[0]", 0];
    const engine: Engine = {
      name: "own",
      imageProblem: async ({ field }) =>
        field === rejectedField ? "image too large: 9 pixels." : undefined,
      prepare: async () => void (prepared += 1),
      render: () => Promise.reject(new Error("not reached")),
    };
    const mock = createMock({ clock: "manual", engine, options: { refund: "none" } });
    const call = caller(mock);
    const first = await call.submit({}, { "idempotency-key": "once" });
    expect([first.status, first.detail]).toEqual([
      400,
      `${rejectedField}: image too large: 9 pixels.`,
    ]);
    expect([prepared, (await call.list()).body.jobs]).toEqual([0, []]);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
    rejectedField = "none";
    const second = await call.submit({}, { "idempotency-key": "once" });
    rejectedField = "person_url";
    const repeated = await call.submit({}, { "idempotency-key": "once" });
    const gone = await call.submit({ person_url: "https://gone.invalid/p.png" });
    expect(gone.detail).toContain("image fetch failed");
    expect([second.status, repeated.body.job_id]).toEqual([200, second.body.job_id]);
  });

  test("holds back a manual clock while it renders", async () => {
    let finish: ((png: Uint8Array<ArrayBuffer>) => void) | undefined;
    const { mock, call } = withEngine(() => new Promise((resolve) => (finish = resolve)));
    const { body } = await call.submit();
    const moved = mock.clock.advance("1h");
    await call.account();
    expect((await call.poll(body.job_id)).body.status).toBe("running");
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAIAAAAD", "base64");
    finish?.(new Uint8Array(png));
    await moved;
    expect((await call.poll(body.job_id)).body).toMatchObject({
      status: "succeeded",
      result_width: 2,
      result_height: 3,
      result_bytes: 24,
      duration_ms: 1_500,
    });
  });
});
