import { describe, expect, onTestFinished, test, vi } from "vitest";

import { pngChunk } from "@tryon/shared/png";
import { encodeIndexed } from "../engine/png.ts";
import { host } from "../system/host.ts";
import type { Engine } from "../engine/engine.ts";
import { createMock } from "../mock.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";

/** A whole PNG of 2 by 3 pixels. */
const whole = encodeIndexed({
  width: 2,
  height: 3,
  data: pngChunk("IDAT", new Uint8Array(8)),
  palette: [0],
  comment: "",
});

function withEngine(render: Engine["render"]) {
  return manualServer({ engine: { name: "own", render } });
}

describe("a custom engine", () => {
  test("that throws fails the job", async () => {
    const { mock, call } = withEngine(() => Promise.reject(new Error("svc_live_mock")));
    expect(await finished(mock, call)).toMatchObject({
      status: "failed",
      error_code: "generation_failed",
      error_message: "model_rejected",
    });
  });

  test.each<[what: string, bytes: unknown]>([
    ["a page", new TextEncoder().encode("<html></html>".repeat(9))],
    ["no bytes", new Uint8Array()],
    ["undefined", undefined],
    ["a JPEG", Uint8Array.from([255, 216, 255, ...Array.from({ length: 40 }, () => 0)])],
    ["the header of a PNG", whole.slice(0, 24)],
    ["a PNG without its last byte", whole.slice(0, -1)],
    ["a PNG without IEND", whole.slice(0, -12)],
    ["a PNG without IHDR", Uint8Array.from([...whole.slice(0, 8), ...whole.slice(33)])],
  ])(
    "that returns %s fails the job with its name, and the server logs it",
    async (_what, bytes) => {
      const warn = vi.spyOn(host, "warn").mockReturnValue();
      onTestFinished(() => warn.mockRestore());
      // An engine in JavaScript may return anything.
      const { mock, call } = withEngine(async () => bytes as Uint8Array<ArrayBuffer>);
      const job = await finished(mock, call);
      const message = expect.stringContaining('The engine "own" of the reference server') as string;
      expect(job).toMatchObject({
        status: "failed",
        error_code: "generation_failed",
        error_message: message,
        result_url: null,
      });
      expect(warn.mock.calls).toEqual([[message]]);
    },
  );

  test("may return bytes after a PNG", async () => {
    const { mock, call } = withEngine(async () => Uint8Array.from([...whole, 1, 2, 3]));
    expect(await finished(mock, call)).toMatchObject({
      status: "succeeded",
      result_bytes: whole.length + 3,
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
    const { mock, call } = manualServer({ engine, options: { refund: "none" } });
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

  test("may render for longer than the latency, with a real clock", async () => {
    const rendered = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    const engine = { name: "own", render: () => rendered.promise };
    const mock = createMock({ latency: 0, engine });
    onTestFinished(() => mock.close());
    const call = caller(mock);
    const response = call.submit({ wait: true });
    await expect.poll(async () => (await call.list()).body.jobs, { interval: 1 }).toHaveLength(1);
    // The timer of the job has fired, and that of the request is left.
    await expect.poll(() => mock.clock.pending, { interval: 1 }).toBe(1);
    rendered.resolve(whole);
    expect((await response).body).toMatchObject({ status: "succeeded" });
  });

  test("holds back a manual clock while it renders", async () => {
    let finish: ((png: Uint8Array<ArrayBuffer>) => void) | undefined;
    const { mock, call } = withEngine(() => new Promise((resolve) => (finish = resolve)));
    const { body } = await call.submit();
    const moved = mock.clock.advance("1h");
    await call.account();
    expect((await call.poll(body.job_id)).body.status).toBe("running");
    finish?.(whole);
    await moved;
    expect((await call.poll(body.job_id)).body).toMatchObject({
      status: "succeeded",
      result_width: 2,
      result_height: 3,
      result_bytes: whole.length,
      duration_ms: 1_500,
    });
  });
});
