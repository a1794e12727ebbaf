import type * as Crypto from "node:crypto";
import type * as FileSystem from "node:fs/promises";
import type * as Http from "node:http";
import type * as Https from "node:https";
import { createRequire } from "node:module";
import type * as Stream from "node:stream";
import type * as Zlib from "node:zlib";

/** Modules that are loaded at their first use, since their import takes longer than that of the client. */
interface Builtins {
  /** `hash` is there since Node 20.12. */
  readonly "node:crypto": Omit<typeof Crypto, "hash"> & Partial<Pick<typeof Crypto, "hash">>;
  readonly "node:fs/promises": typeof FileSystem;
  readonly "node:http": typeof Http;
  readonly "node:https": typeof Https;
  readonly "node:stream": typeof Stream;
  readonly "node:zlib": typeof Zlib;
}

/** Loads a module of Node. An `import()` reads every export, for one of which Node loads `fetch`, and Parcel breaks it. */
export function loadBuiltin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as {
    readonly process: {
      readonly execPath: string;
      readonly getBuiltinModule?: (name: string) => unknown;
    };
  };
  // Only older versions of Node need a file for it.
  const load = process.getBuiltinModule ?? createRequire(process.execPath);
  // This is the type of the module.
  return load(name) as Builtins[Name];
}
