import { readJson } from "./encodings.ts";

/** JSON written anew, and in which form. */
export interface JsonForm {
  readonly detail: string;
  readonly text: string;
}

type Rewrite<Value> = readonly [detail: string, rewrite: (value: Value) => Value];

/** Deeper or longer than this it is not indented: white space would make it grow without end. */
const deepest = 32;
const longestToIndent = 65_536;

const serviceFields = [
  "event",
  "job_id",
  "status",
  "result_url",
  "error_code",
  "error_message",
  "duration_ms",
  "completed_at",
];

const orders: ReadonlyArray<Rewrite<unknown>> = [
  ["", (value) => value],
  ["keys sorted", sorted],
  ["keys in the service's order", inServiceOrder],
];

const layouts: ReadonlyArray<readonly [detail: string, indent: string | undefined]> = [
  ["compact", undefined],
  ["spaces after , and :", ""],
  ["indented by 2", "  "],
  ["indented by 4", "    "],
  ["indented by tabs", "\t"],
];

const ascii: Rewrite<string> = [
  "non-ASCII escaped",
  (text) => text.replace(/[\u007f-\uffff]/g, escaped),
];
const slashes: Rewrite<string> = ["slashes escaped", (text) => text.replaceAll("/", "\\/")];
const escapes: ReadonlyArray<Rewrite<string>> = [
  ["", (text) => text],
  ascii,
  slashes,
  ["non-ASCII and slashes escaped", (text) => ascii[1](slashes[1](text))],
  ["<, > and & escaped", (text) => text.replace(/[<>&\u2028\u2029]/g, escaped)],
];

/** Every form in which JSON of the same value is commonly written, other than `text` itself. */
export function jsonForms(text: string): readonly JsonForm[] {
  const value = readJson(text);
  if (typeof value !== "object" || value === null) return [];
  const forms = new Map<string, string>();
  const indenting = text.length <= longestToIndent && depthOf(text) <= deepest;
  for (const [order, arrange] of orders) {
    const arranged = arrange(value);
    for (const [layout, indent] of layouts) {
      if (indent !== undefined && !indenting) continue;
      const written = writeJson(arranged, indent);
      for (const [escape, rewrite] of escapes) {
        const form = rewrite(written);
        const detail = [layout, order, escape].filter((part) => part !== "").join(", ");
        if (form !== text && !forms.has(form)) forms.set(form, detail);
      }
    }
  }
  return [...forms].map(([form, detail]) => ({ text: form, detail }));
}

/** With an empty indent, on one line and with spaces. JSON's strings hold no line break as such. */
function writeJson(value: unknown, indent: string | undefined): string {
  if (indent !== "") return JSON.stringify(value, null, indent);
  return JSON.stringify(value, null, " ").replace(/,\n */g, ", ").replace(/\n */g, "");
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function inServiceOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = new Map<string, unknown>(Object.entries(value));
  const known = serviceFields.filter((name) => fields.has(name));
  const first = known.map((name) => [name, fields.get(name)] as const);
  return Object.fromEntries([...first, ...fields]);
}

/** How deep brackets are nested, those in strings counted too. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}
