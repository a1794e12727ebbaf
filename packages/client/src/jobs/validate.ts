import { InputError } from "../errors/input-error.ts";
import { checkImage, maxImageBytes } from "../images/image-head.ts";
import type { ImageBytes, ImageSource } from "../images/image-input.ts";
import type { Config } from "../config/resolve-config.ts";
import { readChunks } from "../http/read-chunks.ts";
import { abortable, type Deadline } from "../http/deadline.ts";
import { isImpossible, notesTo, type InputIssue, type Note } from "./input-issue.ts";
import { prepareInput, type PreparedInput } from "./prepare.ts";

/** An image that can be read as often as needed. */
export type ReadImage = ImageSource<ImageBytes | string>;

/** What is ready to be sent: fields as JSON, and images. */
export interface ReadInput {
  readonly fields: string;
  readonly person: readonly ReadImage[];
  readonly garments: readonly ReadImage[];
}

/** Everything that is wrong with an input. What can be read only once stays unread. */
export async function validateInput(input: unknown): Promise<readonly InputIssue[]> {
  const { person, garments, texts, issues } = prepareInput(input);
  const found = [...issues];
  for (const image of [...person, ...garments, ...texts]) {
    if (isRead(image)) await checkImage(image, notesTo(found));
  }
  return found;
}

/** Reads what can be read only once; throws `invalid_input` with all that is wrong, and warns of what looks so. */
export async function readInput(
  input: PreparedInput,
  { validate, log }: Pick<Config, "validate" | "log">,
  deadline: Deadline,
): Promise<ReadInput> {
  const issues = [...input.issues];
  const note = notesTo(issues);
  const read = async (images: readonly ImageSource[]): Promise<ReadImage[]> => {
    const known: ReadImage[] = [];
    for (const image of images) {
      const one = isRead(image) ? image : await readOnce(image, deadline, note);
      if (one === undefined) continue;
      known.push(one);
      if (validate) await abortable(checkImage(one, note), deadline.signal);
    }
    return known;
  };
  const person = await read(input.person);
  const garments = await read(input.garments);
  await read(input.texts);
  const refused = issues.filter(
    (one) => isImpossible(one) || (validate && one.severity === "error"),
  );
  if (refused.length > 0) throw new InputError(refused);
  if (validate && issues.length > 0) {
    log("warn", issues.map(({ message }) => message).join(" "), issues);
  }
  return { fields: input.fields, person, garments };
}

function isRead(image: ImageSource): image is ReadImage {
  return typeof image.content === "string" || "slice" in image.content;
}

async function readOnce(
  { field, content }: ImageSource,
  deadline: Deadline,
  note: Note,
): Promise<ReadImage | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    // Only answers come here.
    for await (const chunk of readChunks(content as Response, deadline)) {
      size += chunk.length;
      if (size > maxImageBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxImageBytes) return { field, content: new Blob(chunks) };
    note("too_large", field, `${size} or more`, maxImageBytes);
  } catch {
    deadline.signal.throwIfAborted();
    note("unreadable", field);
  }
  return undefined;
}
