import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, it } from "vitest";

import { node } from "@tryon/test-kit/repository";

const run = promisify(execFile);
const { app } = inject("installation");
const compiling = 300_000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(app, "declarations-"));
  await writeFile(join(folder, "program.ts"), program);
  await writeFile(join(folder, "program.cts"), program);
  await writeFile(join(folder, "server.cts"), server);
  const narrowing = await readFile(join(import.meta.dirname, "programs/narrowing.ts"), "utf8");
  for (const name of ["narrowing.ts", "narrowing.cts"])
    await writeFile(join(folder, name), narrowing);
});

const entry = (name: string): string => `export type * as ${name} from "@tryon/client/${name}";\n`;

/** Without `skipLibCheck`, the compiler checks each declaration that these lines reach. */
const program = `${["batch", "proxy", "raw", "session"].map(entry).join("")}
  import { createProxy } from "@tryon/client/proxy";
  export type * from "@tryon/client";
  // @ts-expect-error The option authorize is required.
  export const open = createProxy({});
`;
const server = program + entry("node");

const strict = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: "es2022",
};
const forNode = { module: "node16", moduleResolution: "node16", lib: ["es2022"], types: ["node"] };
const forPages = {
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
};

describe.each(["5.4", "6", "7"])("the declarations under TypeScript %s", (version) => {
  it.each([
    [
      "node16, with the types of Node and not of the DOM",
      forNode,
      ["program.ts", "program.cts", "server.cts", "narrowing.ts", "narrowing.cts"],
    ],
    [
      "bundler, with the types of the DOM and not of Node",
      forPages,
      ["program.ts", "narrowing.ts"],
    ],
  ])(
    "compile with %s",
    async (_what, options, files) => {
      const project = join(folder, `tsconfig.${options.module}.json`);
      await writeFile(
        project,
        JSON.stringify({ compilerOptions: { ...strict, ...options }, files }),
      );
      const compiler = join(app, `node_modules/typescript-${version}/bin/tsc`);
      // A compiler that crashes has no output either.
      const compiled = await run(node, [compiler, "-p", project]).catch((error: unknown) => error);
      expect(compiled).toEqual({ stdout: "", stderr: "" });
    },
    compiling,
  );
});

it("recognizes errors of an ES module in a CommonJS module, and vice versa, also by instanceof", async () => {
  const path = join(folder, "copies.mjs");
  await writeFile(
    path,
    `import { createRequire } from "node:module";
    import * as esm from "@tryon/client";
    const cjs = createRequire(import.meta.url)("@tryon/client");
    const seen = [esm.TryOnError === cjs.TryOnError];
    for (const [one, other] of [[esm, cjs], [cjs, esm]]) {
      const error = await new one.TryOn({ apiKey: "svc_test_a", baseUrl: "https://a.example" }).submit({}).catch((error) => error);
      seen.push(error instanceof other.TryOnError, other.isTryOnError(error), other.isTryOnError(error, "invalid_input"), other.isTryOnError(error, "timed_out"));
    }
    console.log(JSON.stringify(seen));`,
  );
  const { stdout } = await run(node, [path], { cwd: folder });
  const [same, ...seen] = JSON.parse(stdout) as boolean[];
  expect(same).toBe(false);
  expect(seen).toEqual([true, true, true, false, true, true, true, false]);
});
