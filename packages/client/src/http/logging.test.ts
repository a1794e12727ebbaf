import { expect, it } from "vitest";

import { jpegBytes } from "../../test/bodies.ts";
import { respondWith, createService, cut, input, shiftedClock } from "../../test/service.ts";

/** Creates a logger that records its lines as [level, message, details]. */
function recordingLogger() {
  const lines: [level: string, message: string, details?: unknown][] = [];
  const logger = Object.fromEntries(
    ["debug", "info", "warn", "error"].map((level) => [
      level,
      (...line: [string, unknown?]): unknown => lines.push([level, ...line]),
    ]),
  );
  return { logger, lines };
}

it("logs each attempt and each delay", async () => {
  const { logger, lines } = recordingLogger();
  const { run, client, faults } = createService();
  faults.push(
    cut.before,
    respondWith(429, { detail: "busy" }, { "retry-after": "2" }),
    respondWith(503, {}),
  );
  await run(client({ logger }).account.get());
  expect(lines.map(([level, message]) => [level, message])).toEqual(
    [
      "attempt 1 ended in ECONNRESET after 0 ms",
      "250 ms until attempt 2",
      "attempt 2 ended in 429 after 0 ms",
      "2000 ms until attempt 3",
      "rate limit for 2000 ms",
      "attempt 3 ended in 503 after 0 ms",
      "1000 ms until attempt 4",
      "attempt 4 ended in 200 after 0 ms",
    ].map((message) => ["debug", `GET /api/v1/account: ${message}`]),
  );
});

it("logs and reports whole milliseconds", async () => {
  const { logger, lines } = recordingLogger();
  const { run, client, faults, mock } = createService();
  faults.push(cut.before, respondWith(429, {}, { "retry-after": "0.3333" }));
  const { shifted } = shiftedClock(mock.clock);
  const clock = { ...shifted, now: () => mock.clock.now() * 1.0000001 };
  const delays: number[] = [];
  const tryon = client({ logger, random: () => 0.123456, clock });
  await run(
    tryon.submit(input, {
      onUpdate: (update) => update.phase === "retrying" && delays.push(update.delay),
    }),
  );
  expect(delays).toEqual([62, 334]);
  const messages = lines.map(([, message]) => message).filter((message) => message.includes("ms"));
  expect(messages).toContain("POST /api/v1/tryon: 62 ms until attempt 2");
  expect(messages.filter((message) => /\.\d/.test(message))).toEqual([]);
});

it("logs the input with the type and size of each image", async () => {
  const { logger, lines } = recordingLogger();
  const { run, client } = createService();
  await run(
    client({ logger }).submit({
      person: new Blob([jpegBytes(1_234_567)], { type: "image/jpeg" }),
      garments: [{ base64: Buffer.from(jpegBytes(3_000)).toString("base64") }],
      prompt: "in the rain",
      webhook_url: "https://shop.example/hook?token=secret",
    }),
  );
  expect(lines[0]?.slice(0, 2)).toEqual([
    "debug",
    'sends person <image/jpeg 1235 kB> garments.0 <image 3 kB> {"prompt":"in the rain","webhook_url":"https://shop.example/hook?[…]"}',
  ]);
});

function fail(): never {
  throw new Error("full");
}

it("accepts a logger with some methods, and ignores its errors", async () => {
  const { run, client } = createService();
  const submitted = client({ logger: { warn: fail } }).submit(input, { onUpdate: fail });
  expect((await run(submitted)).id).toMatch(/^job_/);
  expect((await run(client({ logger: {} }).account.get())).total_calls).toBe(2);
});
