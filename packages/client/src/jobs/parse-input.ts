import {
  canonicalFields,
  checkFields,
  checkNames,
  checkUrl,
  isEmpty,
  isRecord,
  maxMetadataKeys,
  type Fields,
} from "../api/canonical-fields.ts";
import type { Config } from "../config/resolve-config.ts";
import { isImpossible, collectIssues, type InputIssue } from "../errors/input-issue.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { inTime, type Deadline } from "../http/deadline.ts";
import {
  checkImage,
  imageSource,
  isRepeatable,
  repeatableSource,
  type ImageSource,
  type RepeatableImage,
} from "../images/image-source.ts";
import type { JobData } from "../types/job.ts";

export interface ParsedInput {
  /** JSON object of all fields, except `wait` and the images in the body. */
  readonly fields: string;
  readonly images: readonly ImageSource[];
  readonly size: string;
  readonly wait: boolean | undefined;
  readonly hasKeyInMetadata: boolean;
  readonly issues: InputIssue[];
}

type Named = readonly [field: string, value: unknown];

const maxGarments = 3;
const keyField = "_tryon_key";

/**
 * Parses an input, and copies all but its blobs, responses and streams, so that later changes have no effect. Adds the
 * idempotency key to its metadata if one is given and the metadata has room.
 */
export function parseInput(input: unknown, idempotencyKey?: string): ParsedInput {
  const issues: InputIssue[] = [];
  const note = collectIssues(issues);
  if (typeof input !== "object" || input === null) note("not_an_object", "input");
  // JavaScript callers can pass anything.
  const { person, garments, extra, ...rest } = Object(input) as Fields;
  checkNames(rest, extra, note);
  const canonical = canonicalFields(rest);
  const { wait, person_image_b64, garment_images_b64, ...fields } = canonical;
  const { person_url, garment_urls, metadata, output_size } = fields;

  const values = (field: string, value: unknown, isList = false): Named[] => {
    if (isEmpty(value)) return [];
    if (!isList) return [[field, value]];
    if (Array.isArray(value)) return value.map((item: unknown, at) => [`${field}.${at}`, item]);
    note("not_a_list", field);
    return [[field, value]];
  };
  const people = values("person", person);
  const imagesOfPerson = values("person_image_b64", person_image_b64).map(asBase64);
  const clothes = values("garments", garments, true);
  const wireClothes = values("garment_images_b64", garment_images_b64, true).map(asBase64);
  const urls = values("garment_urls", garment_urls, true);
  const hasWirePerson = imagesOfPerson.length > 0 || !isEmpty(person_url);
  const wireCount = wireClothes.length + urls.length;
  const count = clothes.length + wireCount;
  if (people.length === 0 && !hasWirePerson) note("missing", "person");
  if (people.length > 0 && hasWirePerson) note("twice", "person", "person_url or person_image_b64");
  if (count < 1 || count > maxGarments) note("count", "garments", count, maxGarments);
  if (wireCount > 0 && wireCount < count) {
    note("twice", "garments", "garment_urls or garment_images_b64");
  }

  const images: ImageSource[] = [];
  const addImages = (named: readonly Named[]): string[] =>
    named.slice(0, maxGarments).flatMap(([field, image]) => {
      const source = imageSource(image, field, note);
      if (typeof source === "string") {
        checkUrl(source, field, note);
        return source;
      }
      if (source) images.push(source);
      return [];
    });
  const [personUrl] = addImages([...people, ...imagesOfPerson]);
  const garmentUrls = addImages([...clothes, ...wireClothes]);
  for (const [field, url] of urls) checkUrl(url, field, note);
  if (personUrl !== undefined) fields["person_url"] = personUrl;
  if (garmentUrls.length > 0) fields["garment_urls"] = garmentUrls;
  if (idempotencyKey !== undefined && (isEmpty(metadata) || isRecord(metadata))) {
    const withKey = { ...Object(metadata), [keyField]: idempotencyKey };
    if (Object.keys(withKey).length <= maxMetadataKeys) fields["metadata"] = withKey;
  }
  let text = "{}";
  try {
    checkFields(canonical, note);
    text = JSON.stringify({ ...fields, ...Object(extra) });
  } catch {
    note("not_json", "input");
  }
  return {
    fields: text,
    images,
    size: isEmpty(output_size) ? "1K" : String(output_size),
    wait: typeof wait === "boolean" ? wait : undefined,
    hasKeyInMetadata: fields["metadata"] !== metadata,
    issues,
  };
}

function asBase64([field, base64]: Named): Named {
  return [field, { base64 }];
}

export function takeKeyFromMetadata(data: JobData): { job: JobData; idempotencyKey?: string } {
  const { [keyField]: idempotencyKey, ...metadata } = { ...data.metadata };
  if (typeof idempotencyKey !== "string") return { job: data };
  const job = { ...data, metadata: Object.keys(metadata).length > 0 ? metadata : null };
  return { job, idempotencyKey };
}

export async function validateInput(input: unknown): Promise<readonly InputIssue[]> {
  const { images, issues } = parseInput(input);
  for (const image of images.filter(isRepeatable)) await checkImage(image, collectIssues(issues));
  return issues;
}

/** Returns the images of an input, so that each attempt can read them. Throws `invalid_input` with all errors, and logs warnings. */
export async function readImages(
  { fields, images, issues }: ParsedInput,
  { validate, log }: Pick<Config, "validate" | "log">,
  deadline: Deadline,
): Promise<RepeatableImage[]> {
  const note = collectIssues(issues);
  const read = async (): Promise<RepeatableImage[]> => {
    const found: RepeatableImage[] = [];
    for (const source of images) {
      const image = await repeatableSource(source, note, deadline);
      if (image && validate) await checkImage(image, note);
      if (image) found.push(image);
    }
    return found;
  };
  // The signal of the deadline takes time to create, and most inputs are URLs.
  const found =
    images.length > 0 ? await inTime(read(), deadline, "The images were not read in time.") : [];
  const errors = issues.filter(
    (issue) => isImpossible(issue) || (validate && issue.severity === "error"),
  );
  if (errors.length > 0) throw new InputError(errors);
  if (validate && issues.length > 0) {
    log("warn", issues.map(({ message }) => message).join(" "), issues);
  }
  log("debug", ["sends", ...found.map(describe), fields].join(" "));
  return found;
}

function describe({ field, content }: RepeatableImage): string {
  const bytes = typeof content === "string" ? content.length * 0.75 : content.size;
  // Only a Blob has a type.
  const { type } = Object(content) as Partial<Blob>;
  return `${field} <${type || "image"} ${Math.ceil(bytes / 1e3)} kB>`;
}
