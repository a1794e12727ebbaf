import type { Bench, Findings, Row, Subject } from "../subject.ts";
import { bundlePage } from "./bundle.ts";
import { firstLoad } from "./first-load.ts";
import { nameOf, peerPackages } from "./peers.ts";

const what = 'import { TryOn } from "@tryon/client", at first load';

/** What an app pays in bytes. */
export const weight: Subject = {
  name: "weight",
  title: "The weight of a client in a page",
  how: "One line that takes what users take out of each package is bundled by esbuild for browsers, minified, and packed by `gzip -9`. At first load: the entry and what it imports at once, where code that is imported lazily may lie in files of its own. Where something is, a second row has all of it in one file. Modules of Node's own are left out.",
  goals: [{ row: what, kind: "at most", bound: 12_000 }],
  measure: async (bench) => {
    const { packages } = await bench.peers();
    const ours = 'export { TryOn } from "@tryon/client";';
    const rows = [...(await rowsOf(bench, what, ours))];
    for (const peer of peerPackages) {
      if (packages.includes(peer)) {
        const taken = peer.startsWith("@fal-ai") ? "fal" : "default";
        const line = `export { ${taken} } from "${nameOf(peer)}";`;
        rows.push(...(await rowsOf(bench, `${peer}, at first load`, line)));
      } else {
        rows.push({ what: peer, unit: "bytes", figures: [], note: "could not be installed here" });
      }
    }
    return { rows } satisfies Findings;
  },
};

/** The row of a line, and another one when there is more to it than is loaded at first. */
async function rowsOf(bench: Bench, name: string, line: string): Promise<readonly Row[]> {
  const rows = [];
  for (const splitting of [true, false]) {
    const { packed, plain } = firstLoad(await bundlePage(bench, line, splitting));
    const note = `${plain.toLocaleString("en-US")} before packing`;
    const label = splitting ? name : "the same with what it imports lazily";
    rows.push({ what: label, unit: "bytes" as const, figures: [packed], note });
  }
  const [first, whole] = rows;
  return first?.note === whole?.note ? rows.slice(0, 1) : rows;
}
