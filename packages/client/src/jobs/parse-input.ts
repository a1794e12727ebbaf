import { isPage } from "#page";
import { describePath } from "#runtime";

import {
  canonicalFields,
  isEmpty,
  isRecord,
  maxMetadataKeys,
  type Fields,
} from "../api/canonical-fields.ts";
import type { Config } from "../config/resolve-config.ts";
import type { Finding, Note } from "../errors/input-issue.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { usePart } from "../errors/use-part.ts";
import { inTime, type Deadline } from "../http/deadline.ts";
import { readChunks } from "../http/send-request.ts";
import {
  imageSource,
  isRepeatable,
  type ImageSource,
  type RepeatableImage,
} from "../images/image-source.ts";
import type { JobData } from "../types/job.ts";
import type { Part } from "../types/part.ts";
import type * as inputChecks from "./input-checks.ts";
import type { GivenFields } from "./input-checks.ts";

/** Checks of the limits of the service, and the texts of all issues. */
export type InputChecks = Part<typeof inputChecks>;

export interface ParsedInput {
  /** JSON object of all fields, except `wait` and the images in the body. */
  readonly fields: string;
  readonly images: readonly ImageSource[];
  readonly size: string;
  readonly wait: boolean | undefined;
  readonly hasKeyInMetadata: boolean;
  readonly findings: Finding[];
  /** Copy of the input without its images, for the checks. */
  readonly given: GivenFields;
}

type Named = readonly [field: string, value: unknown];

const maxGarments = 3;
const keyField = "_tryon_key";

/**
 * Parses an input, and copies all but its blobs, responses and streams, so that later changes have no effect. Adds the
 * idempotency key to its metadata if one is given and the metadata has room.
 */
export function parseInput(input: unknown, idempotencyKey?: string): ParsedInput {
  const findings: Finding[] = [];
  const note = collect(findings);
  if (typeof input !== "object" || input === null) note("not_an_object", "input");
  // JavaScript callers can pass anything.
  const { person, garments, extra, ...rest } = Object(input) as Fields;
  const canonical = canonicalFields(rest);
  const { wait, person_image_b64, garment_images_b64, ...fields } = canonical;
  const { person_url, garment_urls, metadata, output_size } = fields;
  const given: Named[] = [];

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
        given.push([field, source]);
        return source;
      }
      if (source) images.push(source);
      return [];
    });
  const [personUrl] = addImages([...people, ...imagesOfPerson]);
  const garmentUrls = addImages([...clothes, ...wireClothes]);
  if (personUrl !== undefined) fields["person_url"] = personUrl;
  if (garmentUrls.length > 0) fields["garment_urls"] = garmentUrls;
  if (idempotencyKey !== undefined && (isEmpty(metadata) || isRecord(metadata))) {
    const withKey = { ...Object(metadata), [keyField]: idempotencyKey };
    if (Object.keys(withKey).length <= maxMetadataKeys) fields["metadata"] = withKey;
  }
  let text = "{}";
  try {
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
    findings,
    given: {
      rest,
      extra,
      // The caller may change it.
      canonical: { ...canonical, metadata: isRecord(metadata) ? { ...metadata } : metadata },
      urls: [...given, ...urls],
    },
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

function collect(findings: Finding[]): Note {
  return (...finding) => void findings.push(finding);
}

/** Returns the images of an input, so that each attempt can read them. Throws `invalid_input` with all errors, and logs warnings. */
export async function readImages(
  { fields, images, findings, given }: ParsedInput,
  { validate, log }: Pick<Config, "validate" | "log">,
  deadline: Deadline,
  loadChecks: InputChecks,
): Promise<RepeatableImage[]> {
  const note = collect(findings);
  const read = async (): Promise<RepeatableImage[]> => {
    const found: RepeatableImage[] = [];
    // Without them, the service checks the input.
    const checks = validate ? await loadChecks() : undefined;
    checks?.checkInput(given, note, describePath);
    for (const source of images) {
      const image = isRepeatable(source)
        ? source
        : await (
            await usePart(loadChecks)
          ).readOnce(source, note, deadline, { readChunks, describePath });
      if (image) await checks?.checkImage(image, note);
      if (image) found.push(image);
    }
    return found;
  };
  // The signal of the deadline takes time to create, and most inputs are URLs.
  const found = await (isPage || images.length > 0
    ? inTime(read(), deadline, "The images were not read in time.")
    : read());
  if (findings.length > 0) {
    const checks = await usePart(loadChecks);
    const issues = checks.issuesOf(findings);
    const errors = issues.filter(
      (issue) => checks.isImpossible(issue) || (validate !== false && issue.severity === "error"),
    );
    if (errors.length > 0) throw new InputError(errors);
    if (validate) log("warn", issues.map(({ message }) => message).join(" "), issues);
  }
  log("debug", ["sends", ...(isPage ? [] : found.map(describe)), fields].join(" "));
  return found;
}

function describe({ field, content }: RepeatableImage): string {
  const bytes = typeof content === "string" ? content.length * 0.75 : content.size;
  // Only a Blob has a type.
  const { type } = Object(content) as Partial<Blob>;
  return `${field} <${type || "image"} ${Math.ceil(bytes / 1e3)} kB>`;
}
