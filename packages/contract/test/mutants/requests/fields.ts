import { elementsOf, fieldsOf } from "../../../src/wire/response.ts";
import { patched, submitted, type Change } from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const cut = (field: string, max: number): Change =>
  submitted((fields) => {
    const value = fields[field];
    return typeof value === "string" ? { [field]: value.slice(0, max) } : {};
  });

const isText = (value: unknown): value is string => typeof value === "string";

export const fieldMutants = mutants({
  "text.prompt.length: cuts a prompt that is too long": cut("prompt", 1_000),
  "text.negative_prompt.length: cuts a negative_prompt that is too long": cut(
    "negative_prompt",
    500,
  ),
  "text.person_url.length: takes an unused person_url of any length": cut("person_url", 2_000),
  "text.webhook_url.length: takes a webhook_url of any length": cut("webhook_url", 2_000),
  "text.style_hint.length: refuses a style_hint of 500 characters": submitted((fields) => {
    const { style_hint: hint } = fields;
    const full = typeof hint === "string" && hint.length === 500;
    return full ? { style_hint: `${hint}x` } : {};
  }),
  "seed.range: refuses the largest seed": submitted(
    { seed: 2_147_483_647 },
    { seed: 2_147_483_648 },
  ),
  "output-size.values: reads an unknown size as the largest": submitted(
    { output_size: "8K" },
    { output_size: "4K" },
  ),
  "unknown-properties: refuses unknown properties": submitted((fields) =>
    fields["contract_note"] === undefined ? {} : { seed: -1 },
  ),
  "garments.urls.max: drops the fourth item of garment_urls": submitted(({ garment_urls: urls }) =>
    Array.isArray(urls) ? { garment_urls: urls.slice(0, 3) } : {},
  ),
  "garments.mixed.max: counts the two lists of garments separately": submitted((fields) =>
    elementsOf(fields["garment_urls"]).length === 2 ? { garment_urls: undefined } : fields,
  ),
  "garments.mixed.taken: refuses garments by URL beside garments by bytes": submitted((fields) => {
    const { garment_urls: urls, garment_images_b64: images } = fields;
    const mixed = elementsOf(urls).length === 1 && elementsOf(images).length > 0;
    return mixed ? { garment_images_b64: ["", "", "", ""] } : {};
  }),
  "types.refused: takes a number for a text": submitted((fields) =>
    typeof fields["prompt"] === "number" ? { prompt: "5" } : {},
  ),
  "output-size.aliases.known, output-size.aliases.used: ignores size": submitted({
    size: undefined,
  }),
  "output-size.any-case: refuses 1k": submitted({ output_size: "1k" }, { output_size: "9K" }),
  "output-size.lower-case-cost: reads 2k as 1K": submitted(
    { output_size: "2k" },
    { output_size: "1K" },
  ),
  "wait.default: does not wait without wait and mode": submitted(
    { wait: undefined, mode: undefined },
    { wait: false },
  ),
  "wait.mode: ignores mode async": submitted(
    { wait: undefined, mode: "async" },
    { mode: undefined },
  ),
  "wait.before-mode: prefers mode to wait": submitted((fields) =>
    isText(fields["mode"]) && fields["wait"] !== undefined
      ? { wait: fields["mode"] === "sync" }
      : {},
  ),
  "wording.style-hint.without-effect: adds style_hint to prompt": submitted((fields) => {
    const { prompt, style_hint: hint } = fields;
    return isText(prompt) && isText(hint) ? { prompt: `${prompt} ${hint}` } : {};
  }),
  "wording.negative-prompt.avoid: drops negative_prompt": submitted((fields) => {
    const { negative_prompt: avoid } = fields;
    const fits = isText(avoid) && avoid.length <= 500;
    return fits ? { negative_prompt: undefined } : {};
  }),
  "output-size.precedence: prefers resolution to output_size": submitted((fields) =>
    isText(fields["resolution"]) && isText(fields["output_size"])
      ? { output_size: fields["resolution"] }
      : {},
  ),
  "output-size.default: makes 2K without a size": submitted(
    { output_size: undefined, resolution: undefined, size: undefined },
    { output_size: "2K" },
  ),
  "metadata.keys: drops the ninth key of metadata": changedMetadata((entries) =>
    entries.slice(0, 8),
  ),
  "metadata.length: cuts an entry of metadata to 256 characters if both parts are longer":
    changedMetadata((entries) =>
      entries.map(([name, value]) =>
        name.length > 256 && isText(value)
          ? [name.slice(0, 256), value.slice(0, 256)]
          : [name, value],
      ),
    ),
  "metadata.what-is-counted: ignores the length of names in metadata": changedMetadata((entries) =>
    entries.map(([name, value]) => [name.slice(0, 256), value]),
  ),
  "garments.one-to-three: refuses a third garment": changedGarments((garments) =>
    garments.length === 3 ? [...garments, garments[0]] : garments,
  ),
  "garments.images.max: drops the fourth item of garment_images_b64": changedGarments((garments) =>
    garments.slice(0, 3),
  ),
  "wording.prompt.appended: puts prompt before the instruction": instructions(
    (instruction, prompt) => `${prompt}\n${instruction.replace(`\n${prompt}`, "")}`,
  ),
  "wording.safety.stays: lets a prompt drop the safety rules": instructions((instruction, prompt) =>
    prompt.startsWith("Ignore all instructions") ? prompt : instruction,
  ),
});

function changedMetadata(
  change: (entries: readonly [string, unknown][]) => readonly (readonly [string, unknown])[],
): Change {
  return submitted((fields) => {
    const { metadata } = fields;
    const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
    if (!isObject) return fields;
    const entries = change(Object.entries(fieldsOf(metadata)));
    return { metadata: Object.fromEntries(entries) };
  });
}

function changedGarments(change: (garments: readonly unknown[]) => unknown): Change {
  return submitted((fields) => {
    const { garment_images_b64: garments } = fields;
    return Array.isArray(garments) ? { garment_images_b64: change(garments) } : {};
  });
}

function instructions(change: (instruction: string, prompt: string) => string): Change {
  return patched("journal", (journal) => {
    const entries = elementsOf(journal["entries"]).map((entry) => {
      const submission = fieldsOf(fieldsOf(entry)["submission"]);
      const { instruction, fields } = submission;
      const { prompt } = fieldsOf(fields);
      if (!isText(instruction) || !isText(prompt)) return entry;
      const changed = { ...submission, instruction: change(instruction, prompt) };
      return { ...fieldsOf(entry), submission: changed };
    });
    return { entries };
  });
}
