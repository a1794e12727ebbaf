import { inspect } from "node:util";

import { expect, it } from "vitest";

import { jpegBytes } from "../../test/bodies.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  input,
  profiles,
} from "../../test/service.ts";

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
      "500 ms until attempt 4",
      "attempt 4 ended in 200 after 0 ms",
    ].map((message) => ["debug", `GET /api/v1/account: ${message}`]),
  );
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
    'sends person <image/jpeg 1.2 MB> garments.0 <image 3 kB> {"prompt":"in the rain","webhook_url":"https://shop.example/hook?[…]"}',
  ]);
});

it.each(profiles)("logs no key, secret or image under the profile %s", async (profile) => {
  const { logger, lines } = recordingLogger();
  const { run, error, client, mock, faults } = createService({ profile });
  const image = assetBytes("shirt.png");
  const tryon = client({ logger });
  faults.push(
    respondWith(500, { detail: `echo ${mock.keys.live} ${mock.webhookSecret}` }),
    respondWith(307, "", { location: `https://x.example/?key=${mock.keys.live}` }),
  );
  const tryOn = { person: image, garments: [image] } as const;
  await error(tryon.run(tryOn));
  const onUpdate = () => Promise.reject(new Error("mine"));
  const result = await run(tryon.run(tryOn, { onUpdate }));
  await run(result.image.bytes());
  expect(lines.filter(([level]) => level === "warn")).toHaveLength(1);
  const download = `GET of the image of ${result.job.id}`;
  expect(lines.some(([, message]) => message.startsWith(download))).toBe(true);
  const base64 = Buffer.from(image).toString("base64");
  const everything = inspect(lines, { depth: 20, maxStringLength: null });
  for (const secret of [mock.keys.live, mock.webhookSecret, base64.slice(0, 40), "signature="]) {
    expect(everything).not.toContain(secret);
  }
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
