import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { changedSubmission } from "../changes.ts";
import type { Mutant } from "../mutant.ts";

const request = "Resources and their fields / TryOnRequest (body of POST /api/v1/tryon)";

const without = (fields: Fields, name: string): Fields => ({ ...fields, [name]: undefined });

const cut = (field: string, most: number): Mutant["plant"] =>
  changedSubmission((fields) => {
    const value = fields[field];
    return typeof value === "string" ? { ...fields, [field]: value.slice(0, most) } : fields;
  });

/** Bounds and types of fields. */
export const fieldMutants: readonly Mutant[] = [
  {
    name: "a prompt that is too long is cut",
    section: "Limits",
    expected: ["text.prompt.length"],
    plant: cut("prompt", 1_000),
  },
  {
    name: "a negative_prompt that is too long is cut",
    section: "Limits",
    expected: ["text.negative_prompt.length"],
    plant: cut("negative_prompt", 500),
  },
  {
    name: "a style_hint of just 500 characters is refused",
    section: "Limits",
    expected: ["text.style_hint.length"],
    plant: changedSubmission((fields) => {
      const { style_hint: hint } = fields;
      const full = typeof hint === "string" && hint.length === 500;
      return full ? { ...fields, style_hint: `${hint}x` } : fields;
    }),
  },
  {
    name: "a person_url that is not used may be of any length",
    section: "Limits",
    expected: ["text.person_url.length"],
    plant: cut("person_url", 2_000),
  },
  {
    name: "a webhook_url may be of any length",
    section: "Limits",
    expected: ["text.webhook_url.length"],
    plant: cut("webhook_url", 2_000),
  },
  {
    name: "the largest seed is refused",
    section: request,
    expected: ["seed.range"],
    plant: changedSubmission((fields) =>
      fields["seed"] === 2_147_483_647 ? { ...fields, seed: 2_147_483_648 } : fields,
    ),
  },
  {
    name: "a ninth key of metadata is dropped",
    section: "Limits",
    expected: ["metadata.keys"],
    plant: changedMetadata((entries) => entries.slice(0, 8)),
  },
  {
    name: "an entry of metadata is cut to 256 characters",
    section: "Limits",
    expected: ["metadata.length"],
    plant: changedMetadata((entries) =>
      entries.map(([name, value]) => [
        name,
        typeof value === "string" ? value.slice(0, 256) : value,
      ]),
    ),
  },
  {
    name: "names in metadata are not counted",
    section: "semantics 2. 400 or 422",
    expected: ["metadata.what-is-counted"],
    plant: changedMetadata((entries) =>
      entries.map(([name, value]) => [name.slice(0, 256), value]),
    ),
  },
  {
    name: "a size that there is not is taken for the largest",
    section: request,
    expected: ["output-size.values"],
    plant: changedSubmission((fields) =>
      fields["output_size"] === "8K" ? { ...fields, output_size: "4K" } : fields,
    ),
  },
  {
    name: "a number is taken for a text",
    section: "semantics 2. 400 or 422",
    expected: ["types.refused"],
    plant: changedSubmission((fields) =>
      typeof fields["prompt"] === "number" ? { ...fields, prompt: "5" } : fields,
    ),
  },
  {
    name: "properties that are not known are refused",
    section: request,
    expected: ["unknown-properties"],
    plant: changedSubmission((fields) =>
      fields["contract_note"] === undefined ? fields : { ...fields, seed: -1 },
    ),
  },
  {
    name: "a third garment is refused",
    section: "What the service does",
    expected: ["garments.one-to-three"],
    plant: changedGarments((garments) =>
      garments.length === 3 ? [...garments, garments[0]] : garments,
    ),
  },
  {
    name: "a fourth item of garment_images_b64 is dropped",
    section: request,
    expected: ["garments.images.max"],
    plant: changedGarments((garments) => garments.slice(0, 3)),
  },
  {
    name: "a fourth item of garment_urls is dropped",
    section: request,
    expected: ["garments.urls.max"],
    plant: changedSubmission((fields) => ({
      ...fields,
      ...("garment_urls" in fields && {
        garment_urls: elementsOf(fields["garment_urls"]).slice(0, 3),
      }),
    })),
  },
  {
    name: "the two lists of garments are counted apart",
    section: request,
    expected: ["garments.mixed.max"],
    plant: changedSubmission((fields) =>
      elementsOf(fields["garment_urls"]).length === 2 ? without(fields, "garment_urls") : fields,
    ),
  },
  {
    name: "garments by address are not taken beside garments by bytes",
    section: request,
    expected: ["garments.mixed.taken"],
    plant: changedSubmission((fields) => {
      const { garment_urls: urls, garment_images_b64: images } = fields;
      const mixed = elementsOf(urls).length === 1 && elementsOf(images).length > 0;
      return mixed ? { ...fields, garment_images_b64: ["", "", "", ""] } : fields;
    }),
  },
];

function changedMetadata(
  change: (entries: readonly [string, unknown][]) => readonly (readonly [string, unknown])[],
): Mutant["plant"] {
  return changedSubmission((fields) => {
    const { metadata } = fields;
    const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
    if (!isObject) return fields;
    const entries = change(Object.entries(fieldsOf(metadata)));
    return { ...fields, metadata: Object.fromEntries(entries) };
  });
}

function changedGarments(change: (garments: readonly unknown[]) => unknown): Mutant["plant"] {
  return changedSubmission((fields) => {
    const { garment_images_b64: garments } = fields;
    return Array.isArray(garments) ? { ...fields, garment_images_b64: change(garments) } : fields;
  });
}
