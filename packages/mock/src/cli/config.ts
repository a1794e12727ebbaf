import { readFile } from "node:fs/promises";

import { UsageError } from "@tryon/command-line";
import { rejectUnknownNames } from "@tryon/command-line/known-names";
import * as z from "zod";

import type { MockOptions } from "../mock.ts";
import { profileNames, resolveOptions, type Profile } from "../options.ts";
import { imagesSettings } from "../settings.ts";
import { engineNames, type EngineName } from "./program.ts";

/** Settings of a file. The engine is a name. */
export interface Config {
  readonly options: MockOptions;
  readonly engine: EngineName | undefined;
}

/** Options that JSON cannot express, and the URL of a server in process. */
type NotInFiles = "baseUrl" | "sendWebhook" | "network" | "store";

const duration = z.union([z.number(), z.string()]);

const observed = {
  options: z.record(z.string(), z.unknown()),
  unknown: z.array(z.string()).optional(),
};

const fields = {
  // `createMock` rejects unknown fields of a profile, and unknown options.
  profile: z.union([z.enum(profileNames), z.looseObject(observed)]).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  latency: z
    .union([duration, z.record(z.string(), z.strictObject({ p50: duration, p90: duration }))])
    .optional(),
  credits: z.number().optional(),
  concurrency: z.number().optional(),
  magic: z.boolean().optional(),
  allowPrivateWebhooks: z.boolean().optional(),
  allowPrivateImages: z.boolean().optional(),
  images: z.enum(imagesSettings).optional(),
  corsOrigins: z.array(z.string()).optional(),
  journalLimit: z.number().optional(),
  seed: z.union([z.string(), z.number()]).optional(),
  clock: z.enum(["real", "manual"]).optional(),
  engine: z.enum(engineNames).optional(),
  // A new setting without a row here does not compile.
} satisfies Record<Exclude<keyof MockOptions, NotInFiles>, z.ZodType>;

/** A profile that tryon-contract wrote is a configuration too: unknown options keep their defaults. */
const configFile = z.strictObject({ ...fields, unknown: observed.unknown });

const profileFile = z.strictObject(observed);

/** @throws UsageError with the file and the problem. */
export async function readConfig(path: string): Promise<Config> {
  const config = await read(path, "configuration", configFile);
  const { engine, options, unknown: _, ...settings } = config;
  const present = Object.entries(settings).filter(([, value]) => value !== undefined);
  // `createMock` validates names and values of the options.
  return {
    engine,
    options: { ...Object.fromEntries(present), ...(options && { options }) },
  };
}

/** Reads a profile that tryon-contract wrote. @throws UsageError with the file and the problem. */
export async function readProfile(path: string): Promise<Profile> {
  const { options, unknown = [] } = await read(path, "profile", profileFile);
  usage(path, () => resolveOptions({ options, unknown }));
  return { options, unknown };
}

async function read<Schema extends z.ZodObject>(
  path: string,
  kind: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const value = parse(path, await load(path, kind));
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Its message has the known fields, which that of the schema lacks.
  const names = Object.keys(schema.shape);
  usage(path, () => rejectUnknownNames(Object(value), names, "Unknown field", `a ${kind} has`));
  const [issue] = result.error.issues;
  const place = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new UsageError(`${path}: ${place}${issue?.message ?? `not a ${kind}`}.`);
}

/** @throws UsageError with the file and the message of the error that a check throws. */
function usage(path: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function load(path: string, kind: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new UsageError(`Cannot read the ${kind} file ${path}; check the path.`);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
}
