import { inspect } from "node:util";

import { expect, it } from "vitest";

import type { Logger } from "../index.ts";
import { jpegBytes } from "../../test/bodies.ts";
import {
  respondWith,
  assetBytes,
  createService,
  cut,
  input,
  profiles,
} from "../../test/service.ts";

function collecting(): { logger: Logger; lines: [string, string][]; everything: () => string } {
  const lines: [string, string][] = [];
  const all: unknown[] = [];
  const take =
    (level: string) =>
    (...values: [string, unknown?]): void => {
      lines.push([level, values[0]]);
      all.push(values);
    };
  const logger = {
    debug: take("debug"),
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
  };
  return { logger, lines, everything: () => inspect(all, { depth: 20, maxStringLength: null }) };
}

it("tells of each attempt and each pause", async () => {
  const { logger, lines } = collecting();
  const { run, client, faults } = createService();
  faults.push(
    cut.before,
    respondWith(429, { detail: "busy" }, { "retry-after": "2" }),
    respondWith(503, {}),
  );
  await run(client({ logger }).account.get());
  expect(lines).toEqual(
    [
      "attempt 1 ended in ECONNRESET after 0 ms",
      "250 ms until attempt 2",
      "attempt 2 ended in 429 after 0 ms",
      "2000 ms until attempt 3",
      "rate limit for 2000 ms",
      "attempt 3 ended in 503 after 0 ms",
      "500 ms until attempt 4",
      "attempt 4 ended in 200 after 0 ms",
    ].map((words) => ["debug", `GET /api/v1/account: ${words}`]),
  );
});

it("tells what is sent, with kind and size in place of images", async () => {
  const { logger, lines } = collecting();
  const { run, client } = createService();
  await run(
    client({ logger }).submit({
      person: new Blob([jpegBytes(1_234_567)], { type: "image/jpeg" }),
      garments: [{ base64: Buffer.from(jpegBytes(3_000)).toString("base64") }],
      prompt: "in the rain",
      webhook_url: "https://shop.example/hook?token=secret",
    }),
  );
  expect(lines[0]).toEqual([
    "debug",
    'sends person <image/jpeg 1.2 MB> garments.0 <image 3 kB> {"prompt":"in the rain","webhook_url":"https://shop.example/hook?[…]"}',
  ]);
});

it.each(profiles)("tells no key, no secret and no image under the profile %s", async (profile) => {
  const { logger, everything, lines } = collecting();
  const { run, error, client, mock, faults } = createService({ profile });
  const image = assetBytes("shirt.png");
  const tryon = client({ logger });
  faults.push(
    respondWith(500, { detail: `echo ${mock.keys.live} ${mock.webhookSecret}` }),
    respondWith(307, "", { location: `https://x.example/?key=${mock.keys.live}` }),
  );
  await error(tryon.run({ person: image, garments: [image] }));
  const result = await run(
    tryon.run(
      { person: image, garments: [image] },
      { onUpdate: () => Promise.reject(new Error("mine")) },
    ),
  );
  await run(result.image.bytes());
  expect(lines.filter(([level]) => level === "warn")).toHaveLength(1);
  expect(lines.some(([, line]) => line.startsWith(`GET of the image of ${result.job.id}`))).toBe(
    true,
  );
  const base64 = Buffer.from(image).toString("base64");
  for (const secret of [mock.keys.live, mock.webhookSecret, base64.slice(0, 40), "signature="]) {
    expect(everything()).not.toContain(secret);
  }
});

function full(): never {
  throw new Error("full");
}

it("may have a method for some kinds of lines only, and throw there", async () => {
  const { run, client } = createService();
  const submitted = client({ logger: { warn: full } }).submit(input, { onUpdate: full });
  expect((await run(submitted)).id).toMatch(/^job_/);
  expect((await run(client({ logger: {} }).account.get())).total_calls).toBe(2);
});
