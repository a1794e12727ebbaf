import { readImageInput, type ImageSource } from "../images/image-input.ts";
import { checkAddress, checkFields } from "./validate-fields.ts";
import type { TryOnRequest } from "../generated/openapi.ts";
import { likelyName } from "../config/unknown-names.ts";
import { foldAliases, isEmpty, type Fields } from "./fold-aliases.ts";
import { notesTo, type InputIssue, type Note } from "./input-issue.ts";

/** An input in the form in which it is sent, as far as that goes without reading images. */
export interface PreparedInput {
  /** Everything but the images that are sent as bytes, and but `wait`: a JSON object as text. */
  readonly fields: string;
  /** What `person` holds when that is no address: one or none. */
  readonly person: readonly ImageSource[];
  readonly garments: readonly ImageSource[];
  /** Images that are among the fields, as base64. */
  readonly texts: readonly ImageSource[];
  /** The output size, as it is sent. */
  readonly size: unknown;
  /** What the input says about waiting. */
  readonly wait: boolean | undefined;
  /** What is wrong with it, as far as can be said without reading images. */
  readonly issues: readonly InputIssue[];
}

/** A value, and what the caller calls it. */
type Named = readonly [field: string, value: unknown];

const mostGarments = 3;

/** Folds everything that users may write into what is sent. */
export function prepareInput(input: unknown): PreparedInput {
  const issues: InputIssue[] = [];
  const note = notesTo(issues);
  if (typeof input !== "object" || input === null) note("not_an_object", "input");
  // Types cannot stop those who do not use them.
  const { person, garments, extra, ...rest } = Object(input) as Fields;
  checkNames(rest, extra, note);
  const { wait, ...fields } = foldAliases(rest);

  const listed = (name: string): Named[] => {
    const value = name === "garments" ? garments : fields[name];
    if (isEmpty(value)) return [];
    if (Array.isArray(value)) return value.map((one: unknown, index) => [`${name}.${index}`, one]);
    note("not_a_list", name);
    return [[name, value]];
  };
  const people: Named[] = isEmpty(person) ? [] : [["person", person]];
  const clothes = listed("garments");
  const urls = listed("garment_urls");
  const pictures = listed("garment_images_b64");
  const photo = fields["person_image_b64"];
  const isPhoto = !isEmpty(photo) || !isEmpty(fields["person_url"]);
  const others = urls.length + pictures.length;
  const count = clothes.length + others;
  if (people.length === 0 && !isPhoto) note("missing", "person");
  if (people.length > 0 && isPhoto) note("twice", "person", "person_url or person_image_b64");
  if (count < 1 || count > mostGarments) note("count", "garments", count, mostGarments);
  if (others > 0 && others < count) {
    note("twice", "garments", "garment_urls or garment_images_b64");
  }

  const part = (images: readonly Named[]) => {
    const addresses: string[] = [];
    // No more bytes are copied than could be sent.
    const sources = images.slice(0, mostGarments).flatMap(([field, image]) => {
      const found = readImageInput(image, field, note);
      if (typeof found !== "string") return found ?? [];
      checkAddress(found, field, note);
      addresses.push(found);
      return [];
    });
    return { addresses, sources };
  };
  const ofPerson = part(people);
  const ofGarments = part(clothes);
  for (const [field, url] of urls) checkAddress(url, field, note);
  let text = "{}";
  try {
    checkFields(fields, note);
    const [address] = ofPerson.addresses;
    if (address !== undefined) fields["person_url"] = address;
    if (ofGarments.addresses.length > 0) fields["garment_urls"] = ofGarments.addresses;
    text = JSON.stringify({ ...fields, ...Object(extra) });
  } catch {
    note("not_json", "input");
  }
  return {
    fields: text,
    person: ofPerson.sources,
    garments: ofGarments.sources,
    texts: [["person_image_b64", photo] as const, ...pictures].flatMap(([field, content]) =>
      typeof content === "string" && content !== "" ? { field, content } : [],
    ),
    size: fields["output_size"],
    wait: typeof wait === "boolean" ? wait : undefined,
    issues,
  };
}

/** Fields that the client knows, aliases included. */
const fieldNames: Readonly<Record<keyof TryOnRequest, true>> = {
  person: true,
  garments: true,
  output_size: true,
  prompt: true,
  negative_prompt: true,
  style_hint: true,
  seed: true,
  metadata: true,
  webhook_url: true,
  wait: true,
  person_url: true,
  person_image_b64: true,
  garment_urls: true,
  garment_images_b64: true,
  resolution: true,
  size: true,
  mode: true,
  model_url: true,
  input_url: true,
  clothing: true,
  items: true,
};

function checkNames(fields: Fields, extra: unknown, note: Note): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || Object.hasOwn(fieldNames, name)) continue;
    const likely = likelyName(name, fieldNames);
    note("unknown_field", name.slice(0, 40), likely ? ` (did you mean ${likely}?)` : "");
  }
  if (extra === undefined) return;
  if (typeof extra !== "object" || extra === null || Array.isArray(extra)) {
    return note("not_allowed", "extra", "an object");
  }
  for (const name of Object.keys(extra).filter((key) => Object.hasOwn(fieldNames, key))) {
    note("not_allowed", `extra.${name}`, `a new field: set ${name} instead`);
  }
}
