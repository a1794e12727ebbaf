import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The pictures to try on, and where the results go. */
export interface QuickstartArguments {
  /** Path of the person's photo. */
  readonly person: string;
  /** Paths of the garments. */
  readonly garments: readonly string[];
  /** The folder that the results are saved in. */
  readonly out: string;
}

/** Something that the person at the keyboard can put right, said in one sentence. */
export class UserError extends Error {}

export const help = `npm start [-- --person <file>] [--garment <file>]… [--out <folder>]

Tries garments on a person, against the reference server on this machine.

  --person <file>    photo of a person (JPEG, PNG, WebP, AVIF or GIF); default: a drawing of ours
  --garment <file>   picture of a garment, up to three times; default: two drawings of ours
  --out <folder>     where the results are saved; default: out
`;

const asset = (name: string): string =>
  fileURLToPath(new URL(`../../assets/${name}`, import.meta.url));

/**
 * Reads the command line; paths count from the folder that the command was typed in.
 *
 * @returns undefined when only help was asked for.
 * @throws UserError
 */
export function readArguments(
  argv: readonly string[],
  typedIn: string,
): QuickstartArguments | undefined {
  const { values } = parse(argv);
  if (values.help === true) return undefined;
  const garments = values.garment?.map((path) => resolve(typedIn, path));
  return {
    person: values.person === undefined ? asset("person.jpg") : resolve(typedIn, values.person),
    garments: garments ?? [asset("shirt.png"), asset("jacket.webp")],
    out: resolve(typedIn, values.out ?? "out"),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        person: { type: "string" },
        garment: { type: "string", multiple: true },
        out: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    const sentence = error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? "") : "";
    throw new UserError(`${sentence}. See npm start -- --help.`);
  }
}
