import { readFile } from "node:fs/promises";

import * as z from "zod";

import type { MockOptions } from "../mock.ts";
import { profileNames, resolveOptions, type Profile } from "../options.ts";
import { imagesSettings } from "../settings.ts";
import { engineNames, type EngineName } from "./arguments.ts";
import { UsageError } from "./flags.ts";

/** What a file says about the server; the engine stands there by its name. */
export interface Config {
  readonly options: MockOptions;
  readonly engine: EngineName | undefined;
}

/** What JSON cannot hold, and the address of a server in process, which a listening one has no use for. */
type NotInFiles = "baseUrl" | "sendWebhook" | "network";

const duration = z.union([z.number(), z.string()]);

const observed = {
  options: z.record(z.string(), z.unknown()),
  unknown: z.array(z.string()).optional(),
};

const fields = {
  profile: z.union([z.enum(profileNames), z.strictObject(observed)]).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  latency: duration.optional(),
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
  // A new setting without its row here does not compile.
} satisfies Record<Exclude<keyof MockOptions, NotInFiles>, z.ZodType>;

/** A profile as the contract kit writes it is a configuration too: what could not be seen keeps its default. */
const configFile = z.strictObject({ ...fields, unknown: observed.unknown });

const profileFile = z.strictObject(observed);

/**
 * Reads a configuration file.
 *
 * @throws UsageError naming the file and what is wrong in it.
 */
export async function readConfig(path: string): Promise<Config> {
  const {
    engine,
    options,
    unknown: _,
    ...settings
  } = await read(path, "configuration", configFile);
  const present = Object.entries(settings).filter(([, value]) => value !== undefined);
  // Names and values of the options are checked where the mock is made, which names what is allowed.
  return {
    engine,
    options: { ...Object.fromEntries(present), ...(options && { options }) },
  };
}

/**
 * Reads a profile that the contract kit has written.
 *
 * @throws UsageError naming the file and what is wrong in it.
 */
export async function readProfile(path: string): Promise<Profile> {
  const { options, unknown = [] } = await read(path, "profile", profileFile);
  try {
    resolveOptions({ options, unknown });
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { options, unknown };
}

async function read<Schema extends z.ZodType>(
  path: string,
  kind: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const result = schema.safeParse(parse(path, await load(path, kind)));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new UsageError(`${path}: ${place}${issue?.message ?? `not a ${kind}`}.`);
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
