import { readFileSync } from "node:fs";

import { withoutDocstrings } from "@tryon/cli-kit/build";
import { defineConfig, type Options } from "tsup";

const shared: Options = {
  // The subpaths import the classes of the main entry, so that there is one copy of each.
  external: [/^node:/, /^@tryon\/client/, "react"],
  format: ["esm", "cjs"],
  splitting: false,
  platform: "neutral",
  target: "es2022",
  treeshake: true,
  removeNodeProtocol: false,
  plugins: [withoutDocstrings],
};

const nodeEntry = { "index-node": "src/index.ts", node: "src/node/index.ts" };

const entry = {
  index: "src/index.ts",
  batch: "src/batch/index.ts",
  postgres: "src/stores/postgres.ts",
  proxy: "src/proxy/index.ts",
  raw: "src/raw/index.ts",
  react: "src/react/index.ts",
  redis: "src/stores/redis.ts",
  session: "src/session/index.ts",
  sqlite: "src/stores/sqlite.ts",
  testing: "src/testing/index.ts",
};

/** Files of parts, and files of which parts have copies. */
const isOfPart = /(?:check-fields|check-image|input-issue|read-once)\.ts$/;
const copied = /(?:blob-like|canonical-fields|image-limits|key-url|known-names)(?:\.ts)?$/;

const nativeEntry = {
  "index-native": "src/index.ts",
  "react-native": "src/react/index.ts",
  "session-native": "src/session/index.ts",
};

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Replaces names by their values in each file, since a value of another chunk is not known when a chunk is built. Code for other
 * builds is removed then.
 */
const inline = (values: Readonly<Record<string, boolean>>): Plugin => ({
  name: "inline",
  setup(build) {
    build.onLoad({ filter: /[\\/]client[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      for (const [name, value] of Object.entries(values)) {
        const all = new RegExp(`\\b${name}\\b`, "g");
        const without = contents.replace(new RegExp(`import \\{ ${name} \\} from "#\\w+";`), "");
        if (without !== contents) contents = without.replaceAll(all, String(value));
      }
      return { contents, loader: "ts" };
    });
  },
});

/** Gives parts copies of small files, or each of those would become a separate chunk. */
const copyFilesOfParts: Plugin = {
  name: "copy-files-of-parts",
  setup(build) {
    build.onResolve(
      { filter: copied },
      async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData || !isOfPart.test(importer)) return undefined;
        const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: true });
        return { ...found, suffix: "?part" };
      },
    );
  },
};

export default defineConfig([
  {
    ...shared,
    entry,
    esbuildPlugins: [inline({ isApp: false })],
    // The types of the private packages are part of the published ones.
    dts: {
      entry: { ...entry, node: "src/node/index.ts" },
      compilerOptions: {
        paths: {
          "@tryon/shared/*": ["../shared/src/*"],
          "@tryon/spec/openapi": ["../../spec/generated/openapi.ts"],
        },
      },
    },
  },
  ownBuild("node", "esm", nodeEntry),
  ownBuild("node", "cjs", nodeEntry),
  // Metro reads both formats, and Jest only this one.
  ownBuild("react-native", "cjs", nativeEntry),
  // Bundlers for pages read ESM.
  ownBuild("browser", "esm", { "index-page": "src/index.ts" }),
  ownBuild("browser", "esm", { "session-page": "src/session/index.ts" }),
]);

/** Entries for one condition of `imports` of package.json, which selects the transport, the code for pages, its parts and how sharp is loaded. */
function ownBuild(
  condition: "node" | "browser" | "react-native",
  format: "esm" | "cjs",
  ownEntry: Readonly<Record<string, string>>,
): Options {
  const isCommonJs = format === "cjs";
  return {
    ...shared,
    entry: { ...ownEntry },
    format,
    // A page loads the parts that only some calls need. See `src/parts/page-parts.ts`.
    splitting: condition === "browser",
    esbuildPlugins: [
      inline({
        isApp: condition === "react-native",
        ...(condition === "browser" && { isPage: true }),
      }),
      ...(condition === "browser" ? [copyFilesOfParts] : []),
    ],
    // With `treeshake`, dynamic imports stay in CommonJS files. Jest cannot run those.
    treeshake: !isCommonJs,
    inject: condition === "react-native" ? ["src/native/globals.ts"] : [],
    esbuildOptions(options) {
      options.conditions = isCommonJs ? [condition, "commonjs"] : [condition];
      options.supported = { "dynamic-import": !isCommonJs };
      // Removes the code for other runtimes.
      options.minifySyntax = condition === "browser";
      options.chunkNames = `${Object.keys(ownEntry).join()}-[name]-[hash]`;
    },
  };
}
