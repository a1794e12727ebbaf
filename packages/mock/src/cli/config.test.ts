import { UsageError } from "@tryon/cli-kit";
import { describe, expect, test } from "vitest";

import { fileWith } from "../../test/temporary-files.ts";
import { readConfig, readProfile } from "./config.ts";

/** Returns the message of the error of a file, after the path of the file. */
async function refusalOf(read: typeof readConfig | typeof readProfile, text: string) {
  const path = fileWith(text);
  const error: unknown = await read(path).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return String(error).split(path)[1];
}

describe("a configuration file", () => {
  test("holds profile, options and settings", async () => {
    const config = {
      profile: "alternate",
      options: { refund: "failed" },
      latency: "2s",
      credits: 40,
      concurrency: 3,
      magic: false,
      allowPrivateWebhooks: true,
      allowPrivateImages: true,
      images: "fetch",
      corsOrigins: ["https://shop.example"],
      seed: 7,
      clock: "manual",
    };
    const path = fileWith(JSON.stringify({ ...config, engine: "composite" }));
    expect(await readConfig(path)).toEqual({ engine: "composite", options: config });
    expect(await readConfig(fileWith("{}"))).toEqual({ options: {} });
    expect(await readConfig(fileWith("\uFEFF{}"))).toEqual({ options: {} });
    const latency = { "1K": { p50: "8s", p90: 14_000 } };
    expect(await readConfig(fileWith(JSON.stringify({ latency })))).toEqual({
      options: { latency },
    });
  });

  test.each([
    ["{", "is not valid JSON"],
    ["", "is not valid JSON"],
    ["\0", "line 1 has a NUL character"],
    ["[]", "The configuration must be an object; got array."],
    ['{"colour":1}', "colour is not a field of a configuration. Use one of: latency, credits,"],
    ['{"latancy":1}', "Did you mean latency?"],
    ['{"toString":1}', "toString is not a field of a configuration"],
    ['{"latancy":1,"magic":"yes"}', "Did you mean latency?"],
    ['{"profile":"odd"}', "profile must be "],
    ['{"magic":"yes"}', "magic must be "],
    ['{"options":[]}', "options must be "],
    ['{"engine":"magic"}', "engine must be "],
  ])("that holds %s is refused with its name and what is wrong", async (text, words) => {
    expect(await refusalOf(readConfig, text)).toContain(words);
  });
});

describe("the file of a profile that was observed", () => {
  const profile = { options: { refund: "failed" }, unknown: ["readLag"] };

  test("is read as a profile, is a configuration by itself, and can be part of one", async () => {
    const path = fileWith(JSON.stringify(profile));
    expect(await readProfile(path)).toEqual(profile);
    expect(await readConfig(path)).toEqual({ options: { options: profile.options } });
    const within = fileWith(JSON.stringify({ profile, latency: 5 }));
    expect(await readConfig(within)).toEqual({ options: { profile, latency: 5 } });
  });

  test.each([
    ["{", "is not valid JSON"],
    ["{}", "options must be "],
    [
      '{"options":{},"latency":5}',
      "latency is not a field of a profile. Use one of: options, unknown.",
    ],
    ['{"options":{},"unkown":[]}', "Did you mean unknown?"],
    ['{"options":{"colour":1}}', "colour is not an option of the service"],
    ['{"options":{"refund":"all"}}', 'refund must be one of "none"'],
    ['{"options":{},"unknown":["colour"]}', "colour is not an option of the service"],
  ])("that holds %s is refused with its name and what is wrong", async (text, words) => {
    expect(await refusalOf(readProfile, text)).toContain(words);
  });
});

test.each([
  ["configuration", readConfig],
  ["profile", readProfile],
])("a %s file that is not there is refused with its name", async (kind, read) => {
  const path = "/nowhere/file.json";
  await expect(read(path)).rejects.toThrow(`Cannot read the ${kind} file ${path}`);
});
