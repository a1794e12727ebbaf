import { join } from "node:path";

import { bundlePage, bundleProgram } from "../client/bundle.ts";
import { firstLoad } from "../client/first-load.ts";
import { nameOf } from "../client/peers.ts";
import { figureIn } from "../reading.ts";
import type { Bench, Findings, Row, Subject } from "../subject.ts";
import { verifiers } from "./verifiers.ts";

const rounds = 5;
const ours = "@tryon/webhooks/node, verifySync";
const small = { title: "300 bytes", bytes: 300, calls: 300 };
const large = { title: "1 MB", bytes: 1_000_000, calls: 4 };
const timesBare = (name: string): string => `300 bytes: ${name}, in times bare HMAC`;
const timesParsed = (name: string): string => `1 MB: ${name}, in times bare HMAC + JSON.parse`;
const timesReady = (name: string): string =>
  `1 MB: ${name}, in times bare HMAC + JSON.parse of a text that is ready`;
const weightOf = (name: string): string => `${name}, bundled for browsers`;
const verifyAlone = '{ verify } from "@tryon/webhooks"';

/** What the verification of a webhook costs, in time and in bytes. */
export const webhooks: Subject = {
  name: "webhooks",
  title: "The verification of a webhook",
  how: `One signed event of 300 bytes and one of 1,000,000, most of which is lines of a field that is not known, is given as a \`Buffer\` with the headers of a Node request to each verifier, as its users call it; before that each has to refuse the event with one byte changed. In each of ${rounds} processes blocks of ${small.calls} calls (of ${large.calls} at 1 MB) take turns, in an order that moves on each turn, garbage being collected before each; 12 turns do not count, and the figure of a process is the middle of 30, of times as of ratios turn by turn. Bare HMAC is \`createHmac\` and \`timingSafeEqual\` over the bytes; with JSON.parse it also makes a text of them, without looking whether they are UTF-8, and parses that; where the text is ready it is made of no bytes, which no receiver of bytes is spared. @tryon/webhooks, stripe and standardwebhooks give the parsed event, svix and @octokit/webhooks-methods only say that it is right. The weight is that of one line bundled by esbuild, minified, and packed by \`gzip -9\`; modules of Node's own are left out.`,
  goals: [
    { row: timesBare(ours), kind: "at most", bound: 2 },
    { row: timesParsed(ours), kind: "at most", bound: 1.1 },
    { row: weightOf(verifyAlone), kind: "at most", bound: 2_500 },
  ],
  measure: async (bench) => {
    const { packages, webhookPackages } = await bench.peers();
    const installed = new Set([...packages, ...webhookPackages].map(nameOf));
    const names = Object.keys(verifiers).filter(
      (name) => name.startsWith("bare ") || name.startsWith("@tryon/") || installed.has(name),
    );
    const program = await bundleProgram(bench, "webhooks");
    const rows = new Map<string, { unit: Row["unit"]; figures: number[] }>();
    const note = (what: string, unit: Row["unit"], figure: number): void => {
      const row = rows.get(what) ?? { unit, figures: [] };
      rows.set(what, row);
      row.figures.push(figure);
    };
    for (const { title, bytes, calls } of [small, large]) {
      const args = ["--expose-gc", program, String(bytes), String(calls), ...names];
      for (let round = 0; round < rounds; round += 1) {
        const printed = await bench.processes.node(args).end();
        for (const name of names) note(`${title}: ${name}`, "µs", figureIn(printed, name));
        for (const name of names.filter((rival) => !rival.startsWith("bare "))) {
          if (bytes === small.bytes) {
            note(timesBare(name), "times", figureIn(printed, `${name} / bare`));
          } else {
            note(timesParsed(name), "times", figureIn(printed, `${name} / parsed`));
            note(timesReady(name), "times", figureIn(printed, `${name} / ready`));
          }
        }
      }
    }
    const measured = Array.from(rows, ([what, row]) => ({ what, ...row }));
    return { rows: [...measured, ...(await weights(bench))] } satisfies Findings;
  },
};

async function weights(bench: Bench): Promise<readonly Row[]> {
  const { webhookPackages } = await bench.peers();
  const source = join(bench.root, "packages/webhooks/src/index.ts");
  const rows = [
    await weighed(bench, verifyAlone, `export { verify } from ${JSON.stringify(source)};`),
  ];
  for (const peer of ["standardwebhooks", "svix"]) {
    const line = `{ Webhook } from "${peer}"`;
    if (webhookPackages.some((name) => nameOf(name) === peer)) {
      rows.push(await weighed(bench, line, `export ${line};`));
    } else {
      const note = "could not be installed here";
      rows.push({ what: weightOf(line), unit: "bytes", figures: [], note });
    }
  }
  return rows;
}

async function weighed(bench: Bench, name: string, line: string): Promise<Row> {
  const { packed, plain } = firstLoad(await bundlePage(bench, line, false));
  const note = `${plain.toLocaleString("en-US")} before packing`;
  return { what: weightOf(name), unit: "bytes", figures: [packed], note };
}
