import { images } from "../../../src/images.ts";
import { elementsOf, type Fields } from "../../../src/wire/response.ts";
import { changedSubmission } from "../changes.ts";
import type { Mutant } from "../mutant.ts";

const request = "Resources and their fields / TryOnRequest (body of POST /api/v1/tryon)";
const order = "semantics 3. Aliases and precedence";
const people = ["person_image_b64", "person_url", "person", "model_url", "input_url"];
const garmentFields = ["garment_images_b64", "garment_urls", "garments", "clothing", "items"];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (elementsOf(value).length === 0 && Array.isArray(value));
const hasNone = (fields: Fields, names: readonly string[]): boolean =>
  names.every((name) => isEmpty(fields[name]));

/** Rewrites the texts of a field, be it one or a list. */
function rewritten(names: readonly string[], change: (text: string) => unknown): Mutant["plant"] {
  const changed = (value: unknown): unknown => (typeof value === "string" ? change(value) : value);
  return changedSubmission((fields) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        if (!names.includes(name)) return [name, value];
        return [name, Array.isArray(value) ? value.map(changed) : changed(value)];
      }),
    ),
  );
}

const good = (text: string): string =>
  /^(iVBOR|\/9j|UklG|R0lG|AAAA)/.test(text) ? text : images.garment;

/** Persons, garments, and the addresses and names of their images. */
export const imageMutants: readonly Mutant[] = [
  {
    name: "a submission without a person is given one",
    section: request,
    expected: ["person.required"],
    plant: changedSubmission((fields) =>
      hasNone(fields, people) ? { ...fields, person_image_b64: images.person } : fields,
    ),
  },
  {
    name: "a submission without a garment is given one",
    section: request,
    expected: ["garments.min"],
    plant: changedSubmission((fields) =>
      hasNone(fields, garmentFields) ? { ...fields, garment_images_b64: [images.garment] } : fields,
    ),
  },
  {
    name: "person_url goes before person_image_b64",
    section: request,
    expected: ["person.base64-wins"],
    plant: changedSubmission((fields) =>
      isEmpty(fields["person_url"]) ? fields : { ...fields, person_image_b64: undefined },
    ),
  },
  {
    name: "a person that is no image is painted over",
    section: request,
    expected: ["images.person.base64"],
    plant: rewritten(["person_image_b64"], (text) =>
      text === "" || text.startsWith("data:") ? text : good(text),
    ),
  },
  {
    name: "a data: prefix of the person is dropped",
    section: request,
    expected: ["images.person.no-data-prefix"],
    plant: rewritten(["person_image_b64"], (text) => text.replace(/^data:.*,/, "")),
  },
  {
    name: "a garment that is no image is painted over",
    section: request,
    expected: ["images.garment.base64"],
    plant: rewritten(["garment_images_b64"], (text) =>
      text.startsWith("data:") ? text : good(text),
    ),
  },
  {
    name: "a data: prefix of a garment is dropped",
    section: "semantics 2. 400 or 422",
    expected: ["images.garment.no-data-prefix"],
    plant: rewritten(["garment_images_b64"], (text) => text.replace(/^data:.*,/, "")),
  },
  {
    name: "images in WebP are refused",
    section: "semantics 2. 400 or 422",
    expected: ["images.kinds"],
    plant: rewritten(["person_image_b64"], (text) => (text.startsWith("UklG") ? "no" : text)),
  },
  {
    name: "a person over the bound is cut",
    section: "Limits",
    expected: ["large.person"],
    plant: rewritten(["person_image_b64"], (text) => text.slice(0, 14_000_000)),
  },
  {
    name: "a garment of 10 MB is refused",
    section: "Limits",
    expected: ["large.garment.taken"],
    plant: rewritten(["garment_images_b64"], (text) => {
      const full = text.length > 13_000_000 && text.length < 14_000_000;
      return full ? `data:,${text}` : text;
    }),
  },
  {
    name: "a garment over 10 MB is made smaller",
    section: "Errors",
    expected: ["large.garment.refused"],
    plant: rewritten(["garment_images_b64"], (text) =>
      text.length > 14_000_000 ? images.garment : text,
    ),
  },
  {
    name: "http is taken for the address of a person",
    section: request,
    expected: ["submitted-urls.person_url.https"],
    plant: rewritten(["person_url"], (text) => text.replace(/^http:/, "https:")),
  },
  {
    name: "ftp is taken for the address of a garment",
    section: request,
    expected: ["submitted-urls.garment_urls.https"],
    plant: rewritten(["garment_urls"], (text) => text.replace(/^ftp:/, "https:")),
  },
  {
    name: "ftp is taken for the address of a webhook",
    section: request,
    expected: ["submitted-urls.webhook_url.https"],
    plant: rewritten(["webhook_url"], (text) => (text.startsWith("ftp:") ? null : text)),
  },
  {
    name: "an address of a webhook that is none is passed over",
    section: "Errors",
    expected: ["submitted-urls.bad-url"],
    plant: rewritten(["webhook_url"], (text) => (text.includes(" ") ? null : text)),
  },
  {
    name: "the address of a cloud's metadata is gone to",
    section: "semantics 8. Webhooks",
    expected: ["submitted-urls.blocked"],
    plant: rewritten(["person_url"], (text) => text.replace("169.254.169.254", "example.com")),
  },
  {
    name: "a garment that cannot be fetched is passed over",
    section: "Endpoints / POST /api/v1/tryon",
    expected: ["submitted-urls.fetch-failed"],
    plant: rewritten(["garment_urls"], (text) => text.replace(/[\w-]+\.invalid/, "example.com")),
  },
  {
    name: "input_url is not known",
    section: request,
    expected: ["aliases.person-url.read"],
    plant: changedSubmission((fields) => ({ ...fields, input_url: undefined })),
  },
  {
    name: "clothing is not known",
    section: request,
    expected: ["aliases.garment-urls.read"],
    plant: changedSubmission((fields) => ({ ...fields, clothing: undefined })),
  },
  {
    name: "person goes before person_url",
    section: request,
    expected: ["aliases.person-url.canonical-first"],
    plant: changedSubmission((fields) =>
      hasNone(fields, ["person"]) ? fields : { ...fields, person_url: fields["person"] },
    ),
  },
  {
    name: "garments goes before garment_urls",
    section: request,
    expected: ["aliases.garment-urls.canonical-first"],
    plant: changedSubmission((fields) =>
      hasNone(fields, ["garments"]) ? fields : { ...fields, garment_urls: fields["garments"] },
    ),
  },
  {
    name: "input_url goes before person",
    section: order,
    expected: ["aliases.person-url.precedence"],
    plant: changedSubmission((fields) =>
      hasNone(fields, ["input_url"]) ? fields : { ...fields, person: fields["input_url"] },
    ),
  },
  {
    name: "an empty garment_urls hides its other names",
    section: order,
    expected: ["aliases.garment-urls.precedence"],
    plant: changedSubmission((fields) =>
      "garment_urls" in fields && isEmpty(fields["garment_urls"])
        ? { ...fields, garments: undefined }
        : fields,
    ),
  },
];
