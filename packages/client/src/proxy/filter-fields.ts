import { aliases, canonicalFields, isEmpty, type Fields } from "../api/canonical-fields.ts";
import { errorResponse, type BodyIssue } from "./error-response.ts";
import { isObject } from "./read-json.ts";
import type { ProxySettings } from "./resolve-options.ts";

/** Maximum length of a field name in an error, in characters. */
const maxNameLength = 60;
const maxIssues = 20;

/** Metadata field with the tag of a job's user. */
export const userTagField = "_tryon_user";

/** Names that are aliases of fields or have separate rules. */
const specialNames: ReadonlySet<string> = new Set(
  ["output_size", "wait", "mode", "person", "garments"].concat(...Object.values(aliases)),
);

/**
 * Picks the allowed fields of a submission, or returns an error response that names the others. It first resolves aliases,
 * so that no other name bypasses the filter.
 */
export function filterFields(
  posted: Fields,
  { fields: allowed, sizes, sync }: ProxySettings,
): Fields | Response {
  const issues: BodyIssue[] = [];
  const note = (name: string, type: string, msg: string): void => {
    issues.push({ loc: ["body", name.slice(0, maxNameLength)], msg, type });
  };
  const noteForbidden = (name: string): void =>
    note(name, "extra_forbidden", "This field is not allowed. See the proxy's option fields.");
  const known: Fields = {};
  for (const [name, value] of Object.entries(posted)) {
    if (allowed.includes(name) || specialNames.has(name)) known[name] = value;
    else if (!isEmpty(value)) noteForbidden(name);
  }
  const { output_size: size, wait, ...canonical } = canonicalWireFields(known);
  const fields: Fields = {};
  for (const [name, value] of Object.entries(canonical)) {
    if (isEmpty(value)) continue;
    if (!allowed.includes(name)) noteForbidden(name);
    else if (name === "metadata" ? !isObject(value) || Array.isArray(value) : !isPlain(value))
      note(name, "value_type", "This value is not allowed.");
    else fields[name] = name === "metadata" ? withoutUserTag(value) : value;
  }
  const chosen = isEmpty(size) ? sizes[0] : sizes.find((one) => one === size);
  if (chosen === undefined) {
    const message = `Allowed sizes: ${sizes.join(", ")}. See the proxy's option sizes.`;
    note("output_size", "enum", message);
  }
  fields["output_size"] = chosen;
  if (!sync) fields["wait"] = false;
  else if (typeof wait === "boolean") fields["wait"] = wait;
  else if (!isEmpty(wait)) note("wait", "bool_type", "Must be true or false.");
  return issues.length > 0 ? errorResponse(422, issues.slice(0, maxIssues)) : fields;
}

/** Resolves aliases of the wire format, where `person` and `garments` are URLs. In the client they can be images. */
function canonicalWireFields({ person, garments, ...rest }: Fields): Fields {
  const fields: Fields = { ...rest };
  if (isEmpty(fields["person_url"])) fields["person_url"] = person;
  if (isEmpty(fields["garment_urls"])) fields["garment_urls"] = garments;
  return canonicalFields(fields);
}

/** Checks for a primitive value or a list of these, which cannot contain further fields. */
function isPlain(value: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return !values.some(isObject);
}

/** Removes the user tag from metadata; returns null if nothing else is in it. */
export function withoutUserTag(metadata: unknown): unknown {
  if (!isObject(metadata)) return metadata;
  const { [userTagField]: tag, ...rest } = metadata;
  return tag !== undefined && Object.keys(rest).length === 0 ? null : rest;
}
