import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { isTryOnError } from "@tryon/client";

import { runQuickstart, UserError, type QuickstartOptions } from "./run-quickstart.ts";

const help = `npm start [-- --person <file>] [--garment <file>]… [--out <folder>]

Makes two try-ons with the reference server on this machine.

  --person <file>    photo of a person (JPEG, PNG, WebP, AVIF or GIF); default: a sample
  --garment <file>   image of a garment, up to three times; default: two samples
  --out <folder>     folder for the results; default: out
`;

/** Exit codes that a shell reports for these signals. */
const exitCodes: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const stop = new AbortController();
for (const signal of Object.keys(exitCodes)) {
  process.once(signal, () => {
    process.exitCode = exitCodes[signal];
    stop.abort(new UserError("Stopped."));
  });
}
// The reader may close the pipe early, as `head` does.
process.stdout.on("error", () => process.exit());

try {
  const options = readOptions();
  if (options === undefined) process.stdout.write(help);
  else await runQuickstart(options, stop.signal);
} catch (error) {
  if (!(error instanceof UserError || isTryOnError(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode ??= 1;
}

function readOptions(): QuickstartOptions | undefined {
  const { person, garment, out, help: isHelp } = readArguments();
  if (isHelp) return undefined;
  // npm runs scripts in the folder of the package.
  const folder = process.env["INIT_CWD"] ?? process.cwd();
  return {
    person: person === undefined ? sample("person.jpg") : resolve(folder, person),
    garments:
      garment?.map((path) => resolve(folder, path)) ?? ["shirt.png", "jacket.webp"].map(sample),
    out: resolve(folder, out),
  };
}

function readArguments() {
  try {
    const options = {
      person: { type: "string" },
      garment: { type: "string", multiple: true },
      out: { type: "string", default: "out" },
      help: { type: "boolean", short: "h" },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split(/\. |\n/) : [];
    throw new UserError(`${sentence}. See npm start -- --help.`);
  }
}

function sample(name: string): string {
  return fileURLToPath(new URL(`../images/${name}`, import.meta.url));
}
