import { canonicalFields, isEmpty, type Fields } from "../api/canonical-fields.ts";
import { notesTo, type InputIssue } from "../errors/input-issue.ts";
import { imageSource, type ImageSource } from "../images/image-source.ts";
import { checkFields, checkNames, checkUrl } from "./check-fields.ts";

/** Input whose images have not been read. */
export interface ParsedInput {
  /** JSON object of all fields, except `wait` and the images in the body. */
  readonly fields: string;
  /** Photo of the person, unless it is a URL: one or none. */
  readonly person: readonly ImageSource[];
  /** Garments that are not URLs. */
  readonly garments: readonly ImageSource[];
  /** Canonical `output_size`. */
  readonly size: unknown;
  readonly wait: boolean | undefined;
  /** Issues so far. Reading the images adds more. */
  readonly issues: InputIssue[];
}

/** Value and its field in the input. */
type Named = readonly [field: string, value: unknown];

const maxGarments = 3;

/** Parses an input, and copies all but its blobs, responses and streams, so that later changes have no effect. */
export function parseInput(input: unknown): ParsedInput {
  const issues: InputIssue[] = [];
  const note = notesTo(issues);
  if (typeof input !== "object" || input === null) note("not_an_object", "input");
  // JavaScript callers can pass anything.
  const { person, garments, extra, ...rest } = Object(input) as Fields;
  checkNames(rest, extra, note);
  const canonical = canonicalFields(rest);
  const { wait, person_image_b64, garment_images_b64, ...fields } = canonical;

  const values = (field: string, value: unknown, isList = false): Named[] => {
    if (isEmpty(value)) return [];
    if (!isList) return [[field, value]];
    if (Array.isArray(value)) return value.map((item: unknown, at) => [`${field}.${at}`, item]);
    note("not_a_list", field);
    return [[field, value]];
  };
  const people = values("person", person);
  const wirePeople = values("person_image_b64", person_image_b64).map(asBase64);
  const clothes = values("garments", garments, true);
  const wireClothes = values("garment_images_b64", garment_images_b64, true).map(asBase64);
  const urls = values("garment_urls", fields["garment_urls"], true);
  const hasWirePerson = wirePeople.length > 0 || !isEmpty(fields["person_url"]);
  const wireCount = wireClothes.length + urls.length;
  const count = clothes.length + wireCount;
  if (people.length === 0 && !hasWirePerson) note("missing", "person");
  if (people.length > 0 && hasWirePerson) note("twice", "person", "person_url or person_image_b64");
  if (count < 1 || count > maxGarments) note("count", "garments", count, maxGarments);
  if (wireCount > 0 && wireCount < count) {
    note("twice", "garments", "garment_urls or garment_images_b64");
  }

  /** Returns the images that are not URLs. */
  const sources = (images: readonly Named[], imageUrls: string[]): ImageSource[] =>
    images.slice(0, maxGarments).flatMap(([field, image]) => {
      const source = imageSource(image, field, note);
      if (typeof source !== "string") return source ?? [];
      checkUrl(source, field, note);
      imageUrls.push(source);
      return [];
    });
  const personUrls: string[] = [];
  const personSources = sources([...people, ...wirePeople], personUrls);
  const garmentUrls: string[] = [];
  const garmentSources = sources([...clothes, ...wireClothes], garmentUrls);
  for (const [field, url] of urls) checkUrl(url, field, note);
  let text = "{}";
  try {
    checkFields(canonical, note);
    if (personUrls.length > 0) fields["person_url"] = personUrls[0];
    if (garmentUrls.length > 0) fields["garment_urls"] = garmentUrls;
    text = JSON.stringify({ ...fields, ...Object(extra) });
  } catch {
    note("not_json", "input");
  }
  return {
    fields: text,
    person: personSources,
    garments: garmentSources,
    size: fields["output_size"],
    wait: typeof wait === "boolean" ? wait : undefined,
    issues,
  };
}

function asBase64([field, base64]: Named): Named {
  return [field, { base64 }];
}
