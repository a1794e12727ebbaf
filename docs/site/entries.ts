import { join } from "node:path";

import { packageNames, readManifest, root } from "./places.ts";

/** What others can import of a package. */
export interface Entry {
  /** As it is imported: `@tryon/client/batch`. */
  readonly name: string;
  readonly source: string;
  readonly about: string;
}

/** What each is for, in one line. */
const about: Readonly<Record<string, string>> = {
  "@tryon/client":
    "Makes try-ons from servers and pages: the client, its jobs, its errors, its money",
  "@tryon/client/batch": "Makes a try-on of each item of a list of any length",
  "@tryon/client/images": "Prepares photos: upright, smaller and without their location",
  "@tryon/client/journal/postgres":
    "Keeps the journal of a batch in PostgreSQL, for any number of processes",
  "@tryon/client/journal/redis":
    "Keeps the journal of a batch in Redis, for any number of processes",
  "@tryon/client/journal/sqlite":
    "Keeps the journal of a batch in SQLite, for the processes of a machine",
  "@tryon/client/node":
    "What only Node has: a journal in a file, diagnostics, the proxy behind Express",
  "@tryon/client/proxy": "Lets pages make try-ons through your own server, without a key",
  "@tryon/client/quota/postgres": "Counters of `createQuota` in PostgreSQL",
  "@tryon/client/quota/redis": "Counters of `createQuota` in Redis",
  "@tryon/client/quota/sqlite": "Counters of `createQuota` in SQLite",
  "@tryon/client/react": "Shows the try-on of a visitor in React components",
  "@tryon/client/raw": "Calls each endpoint of the service by its path, typed by the contract",
  "@tryon/client/session": "Keeps the try-on of one visitor in a page, across reloads and tabs",
  "@tryon/webhooks": "Receives, verifies, explains and signs webhooks, on web standards",
  "@tryon/webhooks/express": "A receiver for Express",
  "@tryon/webhooks/fastify": "A receiver for Fastify",
  "@tryon/webhooks/hono": "A receiver for Hono",
  "@tryon/webhooks/koa": "A receiver for Koa",
  "@tryon/webhooks/lambda": "A receiver for AWS Lambda",
  "@tryon/webhooks/next": "A receiver for the Pages Router of Next.js",
  "@tryon/webhooks/node": "A receiver for node:http, and verification without a promise",
  "@tryon/webhooks/postgres": "A store of receivers in PostgreSQL",
  "@tryon/webhooks/reconcile": "Handles events that were lost, from the list of jobs",
  "@tryon/webhooks/redis": "A store of receivers in Redis",
  "@tryon/webhooks/sqlite": "A store of receivers in SQLite",
  "@tryon/mock": "The reference server of the service, in process",
  "@tryon/mock/msw": "The reference server behind msw, in tests and in pages",
  "@tryon/mock/node": "The reference server over HTTP, and what it can do in Node alone",
  "@tryon/mock/vitest": "The reference server for the tests of a file in vitest",
  "@tryon/contract": "Says whether a deployment keeps the contract of the service",
};

/** Every public entry of the published packages. */
export async function readEntries(): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (const name of packageNames) {
    const folder = join(root, "packages", name);
    const manifest = await readManifest(folder);
    for (const path of Object.keys(manifest.publishConfig?.exports ?? {})) {
      const source = sourceOf(manifest.exports?.[path]);
      if (source === undefined) continue;
      const entry = join(manifest.name, path);
      const line = about[entry];
      if (line === undefined) throw new Error(`Say in docs/site/entries.ts what ${entry} is for.`);
      found.push({ name: entry, source: join(folder, source), about: line });
    }
  }
  return found;
}

function sourceOf(target: unknown): string | undefined {
  if (typeof target !== "object" || target === null) return undefined;
  const source: unknown = Reflect.get(target, "@tryon/source");
  return typeof source === "string" ? source : undefined;
}
