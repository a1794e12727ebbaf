import { InputError } from "../errors/input-error.ts";
import { imageHint, readImageInput, type ImageSource } from "../images/image-input.ts";
import { checkAddress, checkFields, listOf } from "./check-fields.ts";
import { foldAliases, isEmpty, type Fields } from "./fold-aliases.ts";
import type { TryOnInput } from "./input.ts";

/** An input as it was at the call, checked; whatever the caller changes afterwards has no effect. */
export interface PreparedInput {
  /** Everything but the images that are sent as bytes, and but `wait`: a JSON object as text. */
  readonly fields: string;
  readonly person: ImageSource | undefined;
  readonly garments: readonly ImageSource[];
  /** What the input says about waiting. */
  readonly wait: boolean | undefined;
}

const mostGarments = 3;

/** Throws `invalid_input` for what the service is certain to refuse. */
export function prepareInput(input: TryOnInput): PreparedInput {
  if (typeof input !== "object" || input === null) {
    throw new InputError("input", "is not an object with person and garments");
  }
  const { person, garments, ...rest } = input;
  const fields = foldAliases(rest);
  const personSource = foldPerson(person, fields);
  const garmentSources = foldGarments(garments, fields);
  checkCount(fields, personSource, garmentSources);
  let wait: boolean | undefined;
  if (typeof fields["wait"] === "boolean") ({ wait } = fields as { wait: boolean });
  delete fields["wait"];
  try {
    checkFields(fields);
    return { fields: JSON.stringify(fields), person: personSource, garments: garmentSources, wait };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError("input", "cannot be written as JSON", {
      hint: "Is there a bigint, or an object in itself?",
    });
  }
}

function foldPerson(person: unknown, fields: Fields): ImageSource | undefined {
  if (isEmpty(person)) return undefined;
  if (!isEmpty(fields["person_url"]) || !isEmpty(fields["person_image_b64"])) {
    throw new InputError("person", "stands for person_url and person_image_b64: give only one");
  }
  const image = readImageInput(person, "person");
  if (!("address" in image)) return image;
  checkAddress(image.address, "person");
  fields["person_url"] = image.address;
  return undefined;
}

function foldGarments(garments: unknown, fields: Fields): readonly ImageSource[] {
  if (isEmpty(garments)) return [];
  if (!Array.isArray(garments)) {
    throw new InputError("garments", "is not a list", { hint: "Put it in a list." });
  }
  if (!isEmpty(fields["garment_urls"]) || !isEmpty(fields["garment_images_b64"])) {
    throw new InputError(
      "garments",
      "stands for garment_urls and garment_images_b64: give only one",
    );
  }
  // Counted before any bytes are copied.
  if (garments.length > mostGarments) throw garmentCount(garments.length);
  const addresses: string[] = [];
  const sources: ImageSource[] = [];
  for (const [index, garment] of garments.entries()) {
    const image = readImageInput(garment, `garments.${index}`);
    if ("address" in image) {
      checkAddress(image.address, `garments.${index}`);
      addresses.push(image.address);
    } else {
      sources.push(image);
    }
  }
  if (addresses.length > 0) fields["garment_urls"] = addresses;
  return sources;
}

function checkCount(
  fields: Fields,
  person: ImageSource | undefined,
  garments: readonly ImageSource[],
): void {
  if (
    person === undefined &&
    isEmpty(fields["person_url"]) &&
    isEmpty(fields["person_image_b64"])
  ) {
    throw new InputError("person", "is missing", {
      hint: imageHint,
    });
  }
  for (const [index, url] of listOf(fields["garment_urls"]).entries()) {
    checkAddress(url, `garment_urls.${index}`);
  }
  const count =
    garments.length +
    listOf(fields["garment_urls"]).length +
    listOf(fields["garment_images_b64"]).length;
  if (count < 1 || count > mostGarments) throw garmentCount(count);
}

function garmentCount(count: number): InputError {
  return new InputError(
    "garments",
    `has ${count} images, and a try-on takes 1 to ${mostGarments}`,
    {
      bound: mostGarments,
    },
  );
}
