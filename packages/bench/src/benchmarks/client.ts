import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Benchmark } from "../benchmark.ts";
import { account } from "../candidates/calls.ts";
import { clients } from "../candidates/clients.ts";
import { createImage } from "../candidates/fixtures.ts";
import { uploaders } from "../candidates/uploaders.ts";
import type { Environment } from "../environment.ts";
import { clientPeers, nameOf } from "../peers.ts";
import { mergeSamples, takeTurns, type Sample } from "../statistics.ts";

const ours = "@tryon/client";
const allFeatures = `${ours}, all features`;
const smallGoal = { max: 1.2, reason: "Each call copies and checks more than `fetch` does." };

export const smallRequest: Benchmark = {
  name: "small",
  title: "Small request",
  method:
    "Each client reads the account, or the smallest resource of a peer, from a bare `node:http` server in another process. Blocks of 50 calls through one client and through bare `fetch` take turns in a process; a run is the median ratio of 25 turns. All features are retries, a logger, an abort signal, a deadline and a middleware.",
  groups: {
    time: { title: "Time per call, one at a time", unit: "µs" },
    ratio: {
      title: "Ratio to bare fetch, one at a time",
      unit: "×",
      chart: true,
      goals: { [allFeatures]: smallGoal },
    },
    crowdedRatio: {
      title: "Ratio to bare fetch, 50 at once",
      unit: "×",
      chart: true,
      goals: { [allFeatures]: smallGoal },
    },
  },
  async *measure(environment) {
    const url = await environment.serve(["servers.mjs", "bare", account]);
    for (let round = 0; round < 7; round += 1) {
      const samples: Sample[] = [];
      for (const name of Object.keys(clients)) {
        samples.push(await environment.run("in-process.mjs", "small", name, url));
      }
      yield mergeSamples(samples);
    }
  },
};

const filesGoal = { max: 1.6, reason: "A minimal stream of the same files needs 1.5 ×." };
const timeGoal = { max: 0.5, reason: "Base64 and the loopback connection take most of the time." };
const [fromFiles, fromMemory] = [`${ours}, files`, `${ours}, memory`];

export const upload: Benchmark = {
  name: "upload",
  title: "Upload of four images of 10 MiB",
  method:
    'Each client uploads a person and three garments to a server that discards them. Peak memory is the growth of `VmHWM` during the first upload of a process; the times come from another process in which the clients take nine turns. Naive is `JSON.stringify` with `toString("base64")`, sent by `fetch`.',
  groups: {
    memory: {
      title: "Peak memory, ratio to the size of the images",
      unit: "×",
      chart: true,
      goals: { [fromFiles]: filesGoal, [fromMemory]: { max: 2.7 } },
    },
    time: { title: "Time", unit: "ms", chart: true },
    ratio: {
      title: "Time, ratio to naive",
      unit: "×",
      goals: { [fromFiles]: timeGoal, [fromMemory]: timeGoal },
    },
  },
  async *measure(environment) {
    const paths = ["person", "shirt", "trousers", "shoes"].map((it) =>
      join(environment.folder, it),
    );
    for (const path of paths) await writeFile(path, createImage(10 * 2 ** 20));
    const url = await environment.serve(["servers.mjs", "sink"]);
    for (let round = 0; round < 5; round += 1) {
      yield environment.run("--expose-gc", "in-process.mjs", "upload", url, ...paths);
      for (const name of Object.keys(uploaders)) {
        yield environment.run("upload.mjs", name, url, ...paths);
      }
    }
  },
};

/** Measures the gzip sizes of lines of code in a browser, without and with lazy imports. */
export async function bundledSizes(
  { folder, node }: Environment,
  lines: Readonly<Record<string, string>>,
): Promise<Record<"first" | "whole", Record<string, number>>> {
  const checks = await Promise.all(
    Object.entries(lines).map(async ([name, line], index) => {
      const path = join(folder, `weight-${index}.js`);
      await writeFile(path, line);
      return { name, path };
    }),
  );
  await writeFile(join(folder, ".size-limit.mjs"), sizeLimitConfig(checks));
  const output = await node("node_modules/size-limit/bin.js", "--json");
  // The report of size-limit, in the order of the checks.
  const sizes = (JSON.parse(output) as { name: string; size: number }[]).map(
    ({ name, size }) => [name, size] as const,
  );
  return {
    first: Object.fromEntries(sizes.slice(0, checks.length)),
    whole: Object.fromEntries(sizes.slice(checks.length)),
  };
}

/** Config whose first half leaves out lazy imports; apps polyfill what only Node has. */
function sizeLimitConfig(checks: readonly object[]): string {
  return `const withoutLazyImports = {
  name: "without-lazy-imports",
  setup: (build) =>
    build.onResolve({ filter: /./ }, ({ kind }) =>
      kind === "dynamic-import" ? { external: true } : undefined),
};
const external = ["node:*", "crypto", "stream", "http", "https", "events", "child_process"];
const options = { platform: "browser", format: "esm", target: "es2022", external };
export default [[withoutLazyImports], []].flatMap((plugins) =>
  ${JSON.stringify(checks)}.map((check) => ({
    ...check,
    gzip: true,
    modifyEsbuildConfig: (config) => ({ ...config, ...options, plugins }),
  })));
`;
}

export const weight: Benchmark = {
  name: "weight",
  title: "Weight of a client in a browser",
  method:
    "size-limit bundles one import of each package with esbuild, minified and compressed with gzip. The first load leaves out lazy imports, and code that only they use; `npm run check` counts that code where it shares a file with the entry.",
  groups: {
    first: { title: "First load", unit: "bytes", chart: true, goals: { [ours]: { max: 12_000 } } },
    whole: { title: "With lazy imports", unit: "bytes" },
  },
  async *measure(environment) {
    const lines = clientPeers.map((peer) => {
      const name = peer.startsWith("@fal-ai") ? "fal" : "default";
      return [peer, `export { ${name} } from "${nameOf(peer)}";`] as const;
    });
    const own = [ours, `export { TryOn } from "${ours}";`] as const;
    yield bundledSizes(environment, Object.fromEntries([own, ...lines]));
  },
};

export const importTime: Benchmark = {
  name: "import",
  title: "Import time",
  method:
    "Each process imports one installed package and times that; the start of Node does not count. The packages take turns, and a run is the median ratio of nine turns.",
  groups: {
    time: { title: "Time", unit: "ms", chart: true },
    ratio: {
      title: "Ratio to openapi-fetch",
      unit: "×",
      goals: { [ours]: { max: 2, reason: "openapi-fetch is one small file." } },
    },
  },
  async *measure(environment) {
    const code =
      "const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start)";
    const time = async (name: string): Promise<number> =>
      Number(await environment.node("--input-type=module", "-e", code, name));
    const names = [ours, ...clientPeers.map(nameOf)];
    for (let round = 0; round < 7; round += 1) {
      const times = await takeTurns(names, 9, time);
      const baseline = "openapi-fetch";
      yield { time: times.medians(), ratio: { [ours]: times.ratio(ours, baseline) } };
    }
  },
};
