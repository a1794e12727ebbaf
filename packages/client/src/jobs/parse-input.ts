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

/** Parses a snapshot of an input. */
export function parseInput(input: unknown): ParsedInput {
  const issues: InputIssue[] = [];
  const note = notesTo(issues);
  if (typeof input !== "object" || input === null) note("not_an_object", "input");
  // JavaScript callers can pass anything.
  const { person, garments, extra, ...rest } = Object(input) as Fields;
  checkNames(rest, extra, note);
  const canonical = canonicalFields(rest);
  const { wait, person_image_b64, garment_images_b64, ...fields } = canonical;

  const list = (field: string, value: unknown): Named[] => {
    if (isEmpty(value)) return [];
    if (Array.isArray(value)) return value.map((item: unknown, at) => [`${field}.${at}`, item]);
    note("not_a_list", field);
    return [[field, value]];
  };
  const people: Named[] = isEmpty(person) ? [] : [["person", person]];
  const clothes = list("garments", garments);
  const urls = list("garment_urls", fields["garment_urls"]);
  const texts = list("garment_images_b64", garment_images_b64);
  const personTexts: Named[] = isEmpty(person_image_b64)
    ? []
    : [["person_image_b64", person_image_b64]];
  const hasWirePerson = personTexts.length > 0 || !isEmpty(fields["person_url"]);
  const wireGarments = urls.length + texts.length;
  const count = clothes.length + wireGarments;
  if (people.length === 0 && !hasWirePerson) note("missing", "person");
  if (people.length > 0 && hasWirePerson) note("twice", "person", "person_url or person_image_b64");
  if (count < 1 || count > maxGarments) note("count", "garments", count, maxGarments);
  if (clothes.length > 0 && wireGarments > 0) {
    note("twice", "garments", "garment_urls or garment_images_b64");
  }

  /** Returns images of the body. Adds those that are URLs to a list. */
  const sources = (images: readonly Named[], found: string[]): ImageSource[] =>
    images.slice(0, maxGarments).flatMap(([field, image]) => {
      const source = imageSource(image, field, note);
      if (typeof source !== "string") return source ?? [];
      checkUrl(source, field, note);
      found.push(source);
      return [];
    });
  const base64 = (images: readonly Named[]): ImageSource[] =>
    images.flatMap(([field, content]) => {
      if (typeof content === "string") return { field, content };
      note("wrong_kind", field);
      return [];
    });
  const personUrls: string[] = [];
  const garmentUrls: string[] = [];
  const personSources = sources(people, personUrls);
  const garmentSources = sources(clothes, garmentUrls);
  for (const [field, url] of urls) checkUrl(url, field, note);
  let text = "{}";
  try {
    checkFields(canonical, note);
    const [personUrl] = personUrls;
    if (personUrl !== undefined) fields["person_url"] = personUrl;
    if (garmentUrls.length > 0) fields["garment_urls"] = garmentUrls;
    text = JSON.stringify({ ...fields, ...Object(extra) });
  } catch {
    note("not_json", "input");
  }
  return {
    fields: text,
    person: [...personSources, ...base64(personTexts)],
    garments: [...garmentSources, ...base64(texts)],
    size: fields["output_size"],
    wait: typeof wait === "boolean" ? wait : undefined,
    issues,
  };
}
