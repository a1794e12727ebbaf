import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { changedJson, changedSubmission, isFor } from "../changes.ts";
import type { Mutant } from "../mutant.ts";

const request = "Resources and their fields / TryOnRequest (body of POST /api/v1/tryon)";

/** Changes what the journal says that the model was told. */
function told(change: (instruction: string, prompt: string) => string): Mutant["plant"] {
  return changedJson(
    (call, { status }) => status === 200 && isFor(call, "GET", "/__mock/journal"),
    (journal) => ({
      ...journal,
      entries: elementsOf(journal["entries"]).map((entry) => {
        const submission = fieldsOf(fieldsOf(entry)["submission"]);
        const { instruction, fields } = submission;
        const { prompt } = fieldsOf(fields);
        if (typeof instruction !== "string" || typeof prompt !== "string") return entry;
        const changed = { ...submission, instruction: change(instruction, prompt) };
        return { ...fieldsOf(entry), submission: changed };
      }),
    }),
  );
}

const isText = (value: unknown): value is string => typeof value === "string";

const lower = (fields: Fields): boolean => fields["output_size"] === "2k";

/** Sizes, waiting, and the words for the model. */
export const meaningMutants: readonly Mutant[] = [
  {
    name: "size is not known",
    section: request,
    expected: ["output-size.aliases.known", "output-size.aliases.used"],
    plant: changedSubmission((fields) => ({ ...fields, size: undefined })),
  },
  {
    name: "1k is refused",
    section: request,
    expected: ["output-size.any-case"],
    plant: changedSubmission((fields) =>
      fields["output_size"] === "1k" ? { ...fields, output_size: "8K" } : fields,
    ),
  },
  {
    name: "2k is taken for 1K",
    section: request,
    expected: ["output-size.lower-case-cost"],
    plant: changedSubmission((fields) =>
      lower(fields) ? { ...fields, output_size: "1K" } : fields,
    ),
  },
  {
    name: "resolution goes before output_size",
    section: "semantics 3. Aliases and precedence",
    expected: ["output-size.precedence"],
    plant: changedSubmission((fields) =>
      isText(fields["resolution"]) && isText(fields["output_size"])
        ? { ...fields, output_size: fields["resolution"] }
        : fields,
    ),
  },
  {
    name: "2K is made where no size is said",
    section: "Output sizes and cost",
    expected: ["output-size.default"],
    plant: changedSubmission((fields) =>
      ["output_size", "resolution", "size"].every((name) => fields[name] === undefined)
        ? { ...fields, output_size: "2K" }
        : fields,
    ),
  },
  {
    name: "a submission that does not say whether to wait is not waited for",
    section: request,
    expected: ["wait.default"],
    plant: changedSubmission((fields) =>
      fields["wait"] === undefined && fields["mode"] === undefined
        ? { ...fields, wait: false }
        : fields,
    ),
  },
  {
    name: "mode is not known",
    section: request,
    expected: ["wait.mode"],
    plant: changedSubmission((fields) =>
      fields["mode"] === "async" && fields["wait"] === undefined
        ? { ...fields, mode: undefined }
        : fields,
    ),
  },
  {
    name: "mode goes before wait",
    section: request,
    expected: ["wait.before-mode"],
    plant: changedSubmission((fields) =>
      isText(fields["mode"]) && fields["wait"] !== undefined
        ? { ...fields, wait: fields["mode"] === "sync" }
        : fields,
    ),
  },
  {
    name: "the words of prompt are put before the instruction",
    section: request,
    expected: ["wording.prompt.appended"],
    plant: told((instruction, prompt) => `${prompt}\n${instruction.replace(`\n${prompt}`, "")}`),
  },
  {
    name: "a prompt can drop all rules",
    section: request,
    expected: ["wording.safety.stays"],
    plant: told((instruction, prompt) =>
      prompt.startsWith("Ignore all instructions") ? prompt : instruction,
    ),
  },
  {
    name: "style_hint is added to prompt",
    section: request,
    expected: ["wording.style-hint.without-effect"],
    plant: changedSubmission((fields) => {
      const { prompt, style_hint: hint } = fields;
      return isText(prompt) && isText(hint) ? { ...fields, prompt: `${prompt} ${hint}` } : fields;
    }),
  },
  {
    name: "negative_prompt is dropped",
    section: request,
    expected: ["wording.negative-prompt.avoid"],
    plant: changedSubmission((fields) => {
      const { negative_prompt: avoid } = fields;
      const fits = isText(avoid) && avoid.length <= 500;
      return fits ? { ...fields, negative_prompt: undefined } : fields;
    }),
  },
];
