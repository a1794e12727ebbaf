import { aliases, canonicalFields, isEmpty, type Fields } from "../api/canonical-fields.ts";
import type { BodyIssue } from "./error-response.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { withoutUserTag } from "./to-user-job.ts";

/** Maximum length of a field name in an error, in characters. */
const maxNameLength = 60;
const maxIssues = 20;

/** Names that are aliases of fields or have separate rules. */
const specialNames: ReadonlySet<string> = new Set(
  ["output_size", "wait", "mode", "person", "garments"].concat(...Object.values(aliases)),
);

/** Fields for the service, or the issues of a body that the proxy rejects. */
type Filtered =
  | { readonly fields: Fields; readonly issues?: undefined }
  | { readonly fields?: undefined; readonly issues: readonly BodyIssue[] };

/** Picks the allowed fields of a submission. It first resolves aliases, so that no other name bypasses the filter. */
export function filterFields(text: string, options: ResolvedOptions): Filtered {
  const posted = parseObject(text);
  if (posted === undefined) return notJson;
  const issues: BodyIssue[] = [];
  const note = (name: string, type: string, msg: string): void => {
    issues.push({ loc: ["body", name.slice(0, maxNameLength)], msg, type });
  };
  const noteForbidden = (name: string): void =>
    note(name, "extra_forbidden", "This field is not allowed. See the proxy's option fields.");
  const known: Fields = {};
  for (const name of Object.keys(posted)) {
    if (options.fields.has(name) || specialNames.has(name)) known[name] = posted[name];
    else if (!isEmpty(posted[name])) noteForbidden(name);
  }
  const { output_size: size = null, wait, ...canonical } = canonicalWireFields(known);
  const fields: Fields = {};
  for (const [name, value] of Object.entries(canonical)) {
    if (isEmpty(value)) continue;
    if (!options.fields.has(name)) {
      noteForbidden(name);
    } else if (name === "metadata" ? isList(value) || !isObject(value) : !isPlain(value)) {
      note(name, "value_type", "This value is not allowed.");
    } else {
      fields[name] = name === "metadata" ? withoutUserTag(value) : value;
    }
  }
  const { sizes } = options;
  const chosen = isEmpty(size) ? sizes[0] : sizes.find((one) => one === size);
  if (chosen === undefined) {
    const message = `Allowed sizes: ${sizes.join(", ")}. See the proxy's option sizes.`;
    note("output_size", "enum", message);
  }
  fields["output_size"] = chosen;
  if (!options.sync) fields["wait"] = false;
  else if (typeof wait === "boolean") fields["wait"] = wait;
  else if (!isEmpty(wait)) note("wait", "bool_type", "Must be true or false.");
  return issues.length > 0 ? { issues: issues.slice(0, maxIssues) } : { fields };
}

/** Picks the two fields of a purchase, which the service validates. */
export function filterPurchase(text: string): Filtered {
  const posted = parseObject(text);
  if (posted === undefined) return notJson;
  const { pack_slug, shared_payment_granted_token } = posted;
  return { fields: { pack_slug, shared_payment_granted_token } };
}

const notJson: Filtered = {
  issues: [{ loc: ["body"], msg: "The body must be a JSON object.", type: "json_invalid" }],
};

function parseObject(text: string): Fields | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) && !isList(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves aliases of the wire format, where `person` and `garments` are URLs. In the client they can be images. */
function canonicalWireFields({ person, garments, ...rest }: Fields): Fields {
  const fields: Fields = { ...rest };
  if (isEmpty(fields["person_url"])) fields["person_url"] = person;
  if (isEmpty(fields["garment_urls"])) fields["garment_urls"] = garments;
  return canonicalFields(fields);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

/** Checks for a primitive value or a list of these, which cannot contain further fields. */
function isPlain(value: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return !values.some(isObject);
}
