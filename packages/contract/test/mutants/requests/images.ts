import { images } from "../../../src/images.ts";
import { elementsOf, type Fields } from "../../../src/wire/response.ts";
import { mutants } from "../mutant.ts";
import { submitted, type Change } from "../mutated-responses.ts";

const people = ["person_image_b64", "person_url", "person", "model_url", "input_url"];
const garmentFields = ["garment_images_b64", "garment_urls", "garments", "clothing", "items"];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (elementsOf(value).length === 0 && Array.isArray(value));
const hasNone = (fields: Fields, names: readonly string[]): boolean =>
  names.every((name) => isEmpty(fields[name]));

function rewritten(name: string, change: (text: string) => unknown): Change {
  const changed = (value: unknown): unknown => (typeof value === "string" ? change(value) : value);
  return submitted(({ [name]: value }) =>
    value === undefined
      ? {}
      : { [name]: Array.isArray(value) ? value.map(changed) : changed(value) },
  );
}

const good = (text: string): string =>
  /^(iVBOR|\/9j|UklG|R0lG|AAAA)/.test(text) ? text : images.garment;

export const imageMutants = mutants({
  "person.required: adds a person to a submission without one": submitted((fields) =>
    hasNone(fields, people) ? { person_image_b64: images.person } : {},
  ),
  "garments.min: adds a garment to a submission without one": submitted((fields) =>
    hasNone(fields, garmentFields) ? { garment_images_b64: [images.garment] } : {},
  ),
  "person.base64-wins: prefers person_url to person_image_b64": submitted((fields) =>
    isEmpty(fields["person_url"]) ? {} : { person_image_b64: undefined },
  ),
  "aliases.person-url.read: ignores input_url": submitted({ input_url: undefined }),
  "aliases.garment-urls.read: ignores clothing": submitted({ clothing: undefined }),
  "aliases.person-url.canonical-first: prefers person to person_url": submitted((fields) =>
    hasNone(fields, ["person"]) ? {} : { person_url: fields["person"] },
  ),
  "aliases.garment-urls.canonical-first: prefers garments to garment_urls": submitted((fields) =>
    hasNone(fields, ["garments"]) ? {} : { garment_urls: fields["garments"] },
  ),
  "aliases.person-url.precedence: prefers input_url to person": submitted((fields) =>
    hasNone(fields, ["input_url"]) ? {} : { person: fields["input_url"] },
  ),
  "aliases.garment-urls.precedence: reads an empty garment_urls before its other names": submitted(
    (fields) =>
      "garment_urls" in fields && isEmpty(fields["garment_urls"]) ? { garments: undefined } : {},
  ),
  "images.person.base64: replaces a person that is not an image": rewritten(
    "person_image_b64",
    (text) => (text === "" || text.startsWith("data:") ? text : good(text)),
  ),
  "images.person.no-data-prefix: drops a data: prefix of the person": rewritten(
    "person_image_b64",
    (text) => text.replace(/^data:.*,/, ""),
  ),
  "images.garment.base64: replaces a garment that is not an image": rewritten(
    "garment_images_b64",
    (text) => (text.startsWith("data:") ? text : good(text)),
  ),
  "submitted-urls.person_url.https: takes http in person_url": rewritten("person_url", (text) =>
    text.replace(/^http:/, "https:"),
  ),
  "submitted-urls.garment_urls.https: takes ftp in garment_urls": rewritten(
    "garment_urls",
    (text) => text.replace(/^ftp:/, "https:"),
  ),
  "submitted-urls.webhook_url.https: ignores ftp in webhook_url": rewritten("webhook_url", (text) =>
    text.startsWith("ftp:") ? null : text,
  ),
  "images.garment.no-data-prefix: drops a data: prefix of a garment": rewritten(
    "garment_images_b64",
    (text) => text.replace(/^data:.*,/, ""),
  ),
  "images.kinds: refuses images in WebP": rewritten("person_image_b64", (text) =>
    text.startsWith("UklG") ? "no" : text,
  ),
  "large.garment.taken: refuses a garment of 10 MB": rewritten("garment_images_b64", (text) => {
    const full = text.length > 13_000_000 && text.length < 14_000_000;
    return full ? `data:,${text}` : text;
  }),
  "large.person: cuts a person over the maximum length": rewritten("person_image_b64", (text) =>
    text.slice(0, 14_000_000),
  ),
  "large.garment.refused: replaces a garment over 10 MB": rewritten("garment_images_b64", (text) =>
    text.length > 14_000_000 ? images.garment : text,
  ),
  "submitted-urls.bad-url: ignores an invalid webhook_url": rewritten("webhook_url", (text) =>
    text.includes(" ") ? null : text,
  ),
  "submitted-urls.blocked: takes the URL of a cloud's metadata": rewritten("person_url", (text) =>
    text.replace("169.254.169.254", "example.com"),
  ),
  "submitted-urls.fetch-failed: ignores a garment that cannot be fetched": rewritten(
    "garment_urls",
    (text) => text.replace(/[\w-]+\.invalid/, "example.com"),
  ),
  "submitted-urls.blocked: ignores a webhook_url in a private network": rewritten(
    "webhook_url",
    (text) => (text.includes("169.254") ? null : text),
  ),
});
