import { readFile } from "node:fs/promises";

import * as z from "zod";

import type { MockOptions } from "../mock.ts";
import { profileNames } from "../options.ts";
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

const fields = {
  profile: z.enum(profileNames).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  latency: duration.optional(),
  concurrency: z.number().optional(),
  magic: z.boolean().optional(),
  allowPrivateWebhooks: z.boolean().optional(),
  allowPrivateImages: z.boolean().optional(),
  images: z.enum(imagesSettings).optional(),
  journalLimit: z.number().optional(),
  seed: z.union([z.string(), z.number()]).optional(),
  clock: z.enum(["real", "manual"]).optional(),
  engine: z.enum(engineNames).optional(),
  // A new setting without its row here does not compile.
} satisfies Record<Exclude<keyof MockOptions, NotInFiles>, z.ZodType>;

const configFile = z.strictObject(fields);

/**
 * Reads a configuration file.
 *
 * @throws UsageError naming the file and what is wrong in it.
 */
export async function readConfig(path: string): Promise<Config> {
  const read = configFile.safeParse(parse(path, await load(path)));
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.length ? `${issue.path.join(".")}: ` : "";
    throw new UsageError(`${path}: ${place}${issue?.message ?? "not a configuration"}.`);
  }
  const { engine, options, ...settings } = read.data;
  const present = Object.entries(settings).filter(([, value]) => value !== undefined);
  // Names and values of the options are checked where the mock is made, which names what is allowed.
  return {
    engine,
    options: { ...Object.fromEntries(present), ...(options && { options }) },
  };
}

async function load(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new UsageError(`Cannot read the configuration file ${path}; check the path.`);
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
}
