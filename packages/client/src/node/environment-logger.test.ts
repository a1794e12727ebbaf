import { createMock } from "@tryon/mock";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import type { TryOnInput, TryOnOptions } from "../index.ts";
import { failure, personUrl, shirtUrl } from "../../test/service.ts";

/** Inputs with one warning each. */
const unknownImage = { person: new Uint8Array([0, 1, 2]), garments: [shirtUrl] } as const;
const ignoredHint = {
  person: personUrl,
  garments: [shirtUrl],
  style_hint: "a",
  prompt: "b",
} as const;

const methods = ["debug", "info", "log", "warn", "error"] as const;

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("TRYON_LOG", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Returns the level of a line that TRYON_LOG printed. */
const levelOf = (line: string) => /^error: @tryon\/client (\w+):/.exec(line)?.[1];

/** Loads the client as a new process does, and records what is printed. */
async function startProcess() {
  const { TryOn } = await import("../index.ts");
  const mock = createMock({ latency: 0 });
  onTestFinished(() => mock.close());
  const printed: string[] = [];
  for (const method of methods) {
    vi.spyOn(console, method).mockImplementation((...line) => {
      printed.push(`${method}: ${line.map(String).join(" ")}`);
    });
  }
  const client = (options: TryOnOptions = {}) =>
    new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch, ...options });
  /** Submits inputs, which the service may reject. */
  const submit = async (inputs: readonly TryOnInput[], tryon = client()) => {
    for (const input of inputs) await tryon.submit(input).catch(() => undefined);
  };
  return { client, printed, submit };
}

describe("without TRYON_LOG", () => {
  it("prints each warning of an input once per process, and nothing else", async () => {
    const { client, printed, submit } = await startProcess();
    await submit([unknownImage, ignoredHint, unknownImage]);
    await submit([ignoredHint, unknownImage], client());
    await client().run(ignoredHint, {
      onUpdate: () => Promise.reject(new Error("oops")),
    });
    expect(printed).toEqual([
      "warn: @tryon/client: person is not in a known image format. TRYON_LOG=off hides such warnings.",
      "warn: @tryon/client: style_hint has no effect with prompt. TRYON_LOG=off hides such warnings.",
    ]);
  });

  it.each<[string, string | undefined, TryOnOptions]>([
    ["if NODE_ENV is production", "production", {}],
    ["with a logger", "test", { logger: {} }],
    ["without validation", "test", { validate: false }],
  ])("prints nothing %s", async (_when, environment, options) => {
    vi.stubEnv("NODE_ENV", environment);
    const { client, printed, submit } = await startProcess();
    await submit([unknownImage, ignoredHint], client(options));
    expect(printed).toEqual([]);
  });
});

describe("TRYON_LOG", () => {
  it.each([
    ["debug", ["debug", "info", "warn"]],
    ["info", ["info", "warn"]],
    ["warn", ["warn"]],
    ["off", []],
  ])("prints with %s the levels %j to stderr, in production too", async (value, levels) => {
    vi.stubEnv("TRYON_LOG", value);
    vi.stubEnv("NODE_ENV", "production");
    const { client, printed, submit } = await startProcess();
    const { job } = await client().run(ignoredHint);
    await submit([ignoredHint]);
    expect(new Set(printed.map(levelOf))).toEqual(new Set(levels));
    const of = (level: string) => printed.filter((line) => levelOf(line) === level);
    expect(of("warn")).toHaveLength(levels.includes("warn") ? 2 : 0);
    const end = `error: @tryon/client info: Job ${job.id} (succeeded, 8 credits)`;
    expect(of("info")).toEqual(levels.includes("info") ? [end] : []);
  });

  it("is an invalid_config with any other value, and names those that are allowed", async () => {
    vi.stubEnv("TRYON_LOG", "verbose");
    const { client } = await startProcess();
    expect(await failure((async () => client())())).toMatchObject({
      code: "invalid_config",
      message: "TRYON_LOG has an unknown value. Set it to debug, info, warn or off.",
    });
    expect(() => client({ logger: console })).not.toThrow();
  });
});
