import type { Config } from "../config/resolve-config.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { isImpossible, notesTo, type InputIssue } from "../errors/input-issue.ts";
import { abortable, type Deadline } from "../http/deadline.ts";
import { checkImage } from "../images/check-image.ts";
import {
  isRepeatable,
  repeatableSource,
  type ImageContent,
  type ImageSource,
} from "../images/image-source.ts";
import { parseInput, type ParsedInput } from "./parse-input.ts";

/** Image that each attempt can read. */
export type ReadImage = ImageSource<ImageContent>;

/** Input that each attempt can send. */
export interface ReadInput {
  readonly fields: string;
  readonly person: readonly ReadImage[];
  readonly garments: readonly ReadImage[];
}

/** Returns all issues of an input. Does not read images that can be read only once. */
export async function validateInput(input: unknown): Promise<readonly InputIssue[]> {
  const { person, garments, issues } = parseInput(input);
  for (const image of [...person, ...garments]) {
    if (isRepeatable(image)) await checkImage(image, notesTo(issues));
  }
  return issues;
}

/** Reads the images that can be read only once. Throws `invalid_input` with all errors, and logs warnings. */
export async function readInput(
  { fields, issues, ...images }: ParsedInput,
  { validate, log }: Pick<Config, "validate" | "log">,
  deadline: Deadline,
): Promise<ReadInput> {
  const note = notesTo(issues);
  const read = async (sources: readonly ImageSource[]): Promise<ReadImage[]> => {
    const found: ReadImage[] = [];
    for (const source of sources) {
      const image = await repeatableSource(source, note, deadline);
      if (image === undefined) continue;
      found.push(image);
      if (validate) await abortable(checkImage(image, note), deadline.signal);
    }
    return found;
  };
  let person: ReadImage[];
  let garments: ReadImage[];
  try {
    person = await read(images.person);
    garments = await read(images.garments);
  } catch (error) {
    if (!deadline.passed) throw error;
    throw new ConnectionError("timed_out", "The images were not read in time.", {
      hint: "Nothing was sent: raise timeout.",
    });
  }
  const errors = issues.filter(
    (issue) => isImpossible(issue) || (validate && issue.severity === "error"),
  );
  if (errors.length > 0) throw new InputError(errors);
  if (validate && issues.length > 0) {
    log("warn", issues.map(({ message }) => message).join(" "), issues);
  }
  const described = [...person, ...garments].map((image) => `${image.field} ${describe(image)}`);
  log("debug", ["sends", ...described, fields].join(" "));
  return { fields, person, garments };
}

/** Returns type and size of an image, for logs. */
function describe({ content }: ReadImage): string {
  const bytes = typeof content === "string" ? content.length * 0.75 : content.size;
  // Only a Blob has a type.
  const { type } = Object(content) as Partial<Blob>;
  const size = bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `<${type || "image"} ${size}>`;
}
