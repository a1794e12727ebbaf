import { elementsOf, fieldsOf } from "../../../src/wire/response.ts";
import { changedJson, changedSubmission, isFor } from "../changes.ts";
import { mutants, type Mutant } from "../mutant.ts";

const request = "Resources and their fields / TryOnRequest (body of POST /api/v1/tryon)";

/** Changes the instructions for the model in the journal. */
function instructions(change: (instruction: string, prompt: string) => string): Mutant["plant"] {
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

/** Mutants in sizes, waiting, and instructions for the model. */
export const meaningMutants: readonly Mutant[] = [
  ...mutants(request, changedSubmission, {
    "output-size.aliases.known, output-size.aliases.used": [
      "ignores size",
      () => ({ size: undefined }),
    ],
    "output-size.any-case": [
      "refuses 1k",
      (fields) => (fields["output_size"] === "1k" ? { output_size: "9K" } : {}),
    ],
    "output-size.lower-case-cost": [
      "reads 2k as 1K",
      (fields) => (fields["output_size"] === "2k" ? { output_size: "1K" } : {}),
    ],
    "wait.default": [
      "does not wait without wait and mode",
      (fields) =>
        fields["wait"] === undefined && fields["mode"] === undefined ? { wait: false } : {},
    ],
    "wait.mode": [
      "ignores mode async",
      (fields) =>
        fields["mode"] === "async" && fields["wait"] === undefined ? { mode: undefined } : {},
    ],
    "wait.before-mode": [
      "prefers mode to wait",
      (fields) =>
        isText(fields["mode"]) && fields["wait"] !== undefined
          ? { wait: fields["mode"] === "sync" }
          : {},
    ],
    "wording.style-hint.without-effect": [
      "adds style_hint to prompt",
      (fields) => {
        const { prompt, style_hint: hint } = fields;
        return isText(prompt) && isText(hint) ? { prompt: `${prompt} ${hint}` } : {};
      },
    ],
    "wording.negative-prompt.avoid": [
      "drops negative_prompt",
      (fields) => {
        const { negative_prompt: avoid } = fields;
        const fits = isText(avoid) && avoid.length <= 500;
        return fits ? { negative_prompt: undefined } : {};
      },
    ],
  }),
  ...mutants("semantics 3. Aliases and precedence", changedSubmission, {
    "output-size.precedence": [
      "prefers resolution to output_size",
      (fields) =>
        isText(fields["resolution"]) && isText(fields["output_size"])
          ? { output_size: fields["resolution"] }
          : {},
    ],
  }),
  ...mutants("Output sizes and cost", changedSubmission, {
    "output-size.default": [
      "makes 2K without a size",
      (fields) =>
        ["output_size", "resolution", "size"].every((name) => fields[name] === undefined)
          ? { output_size: "2K" }
          : {},
    ],
  }),
  ...mutants(request, instructions, {
    "wording.prompt.appended": [
      "puts prompt before the instruction",
      (instruction, prompt) => `${prompt}\n${instruction.replace(`\n${prompt}`, "")}`,
    ],
    "wording.safety.stays": [
      "lets a prompt drop the safety rules",
      (instruction, prompt) =>
        prompt.startsWith("Ignore all instructions") ? prompt : instruction,
    ],
  }),
];
