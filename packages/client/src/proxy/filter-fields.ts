import { aliases, foldAliases, isEmpty, type Fields } from "../jobs/fold-aliases.ts";
import type { BodyIssue } from "./refusal.ts";
import type { Bounds } from "./settings.ts";
import { withoutUserField } from "./show-job.ts";

/** No more of a name than that is repeated. */
const longestName = 60;
const mostIssues = 20;

/** Names of a submission that are folded into fields or have separate rules. */
const specialNames: ReadonlySet<string> = new Set(
  ["output_size", "wait", "mode", "person", "garments"].concat(...Object.values(aliases)),
);

/** The fields that go to the service, or why none do. */
export type Filtered =
  | { readonly fields: Fields; readonly issues?: undefined }
  | { readonly fields?: undefined; readonly issues: readonly BodyIssue[] };

/**
 * Makes the fields for the service from what a visitor posted. It picks the allowed names, and folds every alias into its
 * field, so that no field comes in under another name.
 */
export function filterFields(text: string, bounds: Bounds): Filtered {
  const posted = parseObject(text);
  if (posted === undefined) return notJson;
  const issues: BodyIssue[] = [];
  const note = (name: string, type: string, msg: string): void => {
    issues.push({ loc: ["body", name.slice(0, longestName)], msg, type });
  };
  const noteClosed = (name: string): void =>
    note(name, "extra_forbidden", "The proxy does not take this field (see its option fields).");
  const known: Fields = {};
  for (const name of Object.keys(posted)) {
    if (bounds.fields.has(name) || specialNames.has(name)) known[name] = posted[name];
    else if (!isEmpty(posted[name])) noteClosed(name);
  }
  const { output_size: size = null, wait, ...folded } = foldWireAliases(known);
  const fields: Fields = {};
  for (const [name, value] of Object.entries(folded)) {
    if (isEmpty(value)) continue;
    if (!bounds.fields.has(name)) {
      noteClosed(name);
    } else if (name === "metadata" ? isList(value) || !isObject(value) : !isPlain(value)) {
      note(name, "value_type", "This field takes no such value.");
    } else {
      fields[name] = name === "metadata" ? withoutUserField(value) : value;
    }
  }
  const [usual, ...others] = bounds.sizes;
  const chosen = isEmpty(size) ? usual : bounds.sizes.find((one) => one === size);
  if (chosen === undefined) {
    const words = [usual, ...others].join(", ");
    note("output_size", "enum", `The proxy takes ${words} (see its option sizes).`);
  }
  fields["output_size"] = chosen;
  if (!bounds.sync) fields["wait"] = false;
  else if (typeof wait === "boolean") fields["wait"] = wait;
  else if (!isEmpty(wait)) note("wait", "bool_type", "This field takes true or false.");
  return issues.length > 0 ? { issues: issues.slice(0, mostIssues) } : { fields };
}

/** The two fields of a purchase; the service says what is wrong with them. */
export function filterPurchase(text: string): Filtered {
  const posted = parseObject(text);
  if (posted === undefined) return notJson;
  const { pack_slug, shared_payment_granted_token } = posted;
  return { fields: { pack_slug, shared_payment_granted_token } };
}

const notJson: Filtered = {
  issues: [{ loc: ["body"], msg: "The body is no JSON object.", type: "json_invalid" }],
};

function parseObject(text: string): Fields | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) && !isList(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** On the wire, `person` and `garments` are names of the addresses; to users of the client they can be images. */
function foldWireAliases({ person, garments, ...rest }: Fields): Fields {
  const fields: Fields = { ...rest };
  if (isEmpty(fields["person_url"])) fields["person_url"] = person;
  if (isEmpty(fields["garment_urls"])) fields["garment_urls"] = garments;
  return foldAliases(fields);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

/** A text, a number, true or false, or a list of these: nothing in which a field could hide. */
function isPlain(value: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return !values.some(isObject);
}
