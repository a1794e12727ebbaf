import { readFile } from "node:fs/promises";

import { UsageError } from "@tryon/cli-kit";
import { decodeText } from "@tryon/shared/text-file";
import { accepting, oneOf, OptionsError, readOptions, readValue } from "@tryon/shared/options";

import type { MockOptions } from "../mock.ts";
import { mockRules } from "../mock-interface.ts";
import { resolveOptions, type Profile } from "../options.ts";
import { engineNames, type EngineName } from "./program.ts";

export interface Config {
  readonly options: MockOptions;
  readonly engine: EngineName | undefined;
}

const list = accepting<readonly string[]>("a list of names", (given) => Array.isArray(given));
const object = accepting<Readonly<Record<string, unknown>>>(
  "an object",
  (given) => typeof given === "object" && given !== null && !Array.isArray(given),
);

const { baseUrl: _, sendWebhook: _send, network: _network, store: _store, ...inFiles } = mockRules;

/** A profile that tryon-contract wrote is a configuration too: unknown options keep their defaults. */
const configRules = {
  ...inFiles,
  options: object,
  engine: oneOf(...engineNames),
  unknown: list,
};

export async function readConfig(path: string): Promise<Config> {
  const config = await load(path, "configuration");
  const { engine } = usage(path, () => {
    const given = readOptions("a field of a configuration", config, configRules);
    resolveOptions(given.profile, given.options);
    return given;
  });
  const { engine: _engine, unknown: _unknown, ...options } = config;
  return { engine, options };
}

export async function readProfile(path: string): Promise<Profile> {
  const profile = await load(path, "profile");
  return usage(path, () => {
    const { options, unknown } = readOptions("a field of a profile", profile, {
      options: { ...object, isRequired: true },
      unknown: { ...list, fallback: [] },
    });
    resolveOptions({ options, unknown });
    return { options, unknown };
  });
}

function usage<Result>(path: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new UsageError(`${path}: ${error.message}`, { cause: error });
  }
}

async function load(path: string, kind: string): Promise<Readonly<Record<string, unknown>>> {
  let bytes;
  try {
    bytes = await readFile(path);
  } catch {
    throw new UsageError(`Cannot read the ${kind} file ${path}; check the path.`);
  }
  const text = decodeText(bytes, path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
  return usage(path, () => readValue(`The ${kind}`, value, object) ?? {});
}
