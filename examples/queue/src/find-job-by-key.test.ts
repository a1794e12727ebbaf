import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { expect, it, onTestFinished, vi } from "vitest";

import { findJobByKey } from "./find-job-by-key.ts";

const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;

const cases = (["Z", "offset", "naive"] as const).flatMap((timeFormat) =>
  ["Asia/Tokyo", "America/New_York"].map((zone) => [timeFormat, zone] as const),
);

it.each(cases)(
  "finds a job on any page and stops at jobs that are too old, with %s times in %s",
  async (timeFormat, zone) => {
    vi.stubEnv("TZ", zone);
    const mock = createMock({ clock: "manual", options: { timeFormat } });
    onTestFinished(() => {
      vi.unstubAllEnvs();
      mock.close();
    });
    const { baseUrl, clock, fetch } = mock;
    const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl, fetch, clock });
    const submit = (idempotencyKey?: string) =>
      tryon.submit(input, { idempotencyKey, keyInMetadata: true });
    const pages = (): number => mock.journal.entries({ method: "GET" }).length;
    for (let count = 0; count < 45; count += 1) await submit();
    await clock.advance("2h");
    const since = clock.now();
    const { id } = await submit("spring/1");
    for (let count = 0; count < 20; count += 1) await submit();

    expect((await findJobByKey(tryon, "spring/1", since))?.id).toBe(id);
    expect(pages()).toBe(2);
    expect(await findJobByKey(tryon, "spring/2", since)).toBeUndefined();
    expect(pages()).toBe(4);
    expect(await findJobByKey(tryon, "spring/2", 0)).toBeUndefined();
    expect(pages()).toBe(8);
  },
);
