import { gzipSync } from "node:zlib";

import { build as bundle, type Plugin } from "esbuild";

const withoutLazyImports: Plugin = {
  name: "without-lazy-imports",
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind }) =>
      kind === "dynamic-import" ? { external: true } : undefined,
    );
  },
};

/** Bundles a line of code for a browser, minified, and returns its gzip size; apps polyfill what only Node has. */
export async function bundledSize(
  line: string,
  folder: string,
  lazyImports: "with lazy imports" | "without lazy imports",
): Promise<number> {
  const { outputFiles } = await bundle({
    stdin: { contents: line, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2022",
    external: ["node:*", "crypto", "stream", "http", "https", "events", "child_process"],
    plugins: lazyImports === "without lazy imports" ? [withoutLazyImports] : [],
    logLevel: "error",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}
