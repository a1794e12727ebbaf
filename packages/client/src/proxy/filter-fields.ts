import { canonicalFields, isEmpty, type Fields } from "../api/canonical-fields.ts";
import {
  errorResponse,
  isJsonObject,
  isObject,
  withoutUserTag,
  type RequestIssue,
} from "./convert-response.ts";
import { likelyName } from "../config/resolve-config.ts";
import type { ProxySettings } from "./resolve-options.ts";

const maxNameLength = 60;

/**
 * Picks the allowed fields of a submission, or returns an error response that names the others. It first resolves aliases,
 * so that no other name bypasses the filter.
 */
export function filterFields(
  posted: Fields,
  settings: Pick<ProxySettings, "fields" | "sizes" | "sync" | "resolveGarments">,
): Fields | Response {
  const { sizes, sync, resolveGarments } = settings;
  const uploads = "garment_images_b64";
  const allowed = resolveGarments
    ? ["garment_urls", ...settings.fields].filter((name) => name !== uploads)
    : settings.fields;
  const issues: RequestIssue[] = [];
  const reject = (name: string, type: string, msg: string): void => {
    issues.push({ loc: ["body", name.slice(0, maxNameLength)], msg, type });
  };
  const { output_size: size, wait, ...canonical } = canonicalWireFields(posted);
  const fields: Fields = {};
  for (const [name, value] of Object.entries(canonical)) {
    if (isEmpty(value)) continue;
    if (resolveGarments && name === uploads) {
      reject(
        name,
        "extra_forbidden",
        "Garments cannot be uploaded here. Send the URL of a product.",
      );
    } else if (!allowed.includes(name)) {
      const likely = likelyName(name, allowed);
      const question = likely ? `Did you mean ${likely}? ` : "";
      const message = `This field is not allowed. ${question}See the proxy's option fields.`;
      reject(name, "extra_forbidden", message);
    }
    // Objects, also in a list, could contain further fields.
    else if (name === "metadata" ? !isJsonObject(value) : [value].flat().some(isObject))
      reject(name, "value_type", "This value is not allowed.");
    else fields[name] = name === "metadata" ? withoutUserTag(value) : value;
  }
  const chosen = isEmpty(size) ? sizes[0] : sizes.find((one) => one === size);
  if (chosen === undefined) {
    const message = `Allowed sizes: ${sizes.join(", ")}. See the proxy's option sizes.`;
    reject("output_size", "enum", message);
  }
  fields["output_size"] = chosen;
  if (!sync) fields["wait"] = false;
  else if (typeof wait === "boolean") fields["wait"] = wait;
  else if (!isEmpty(wait)) reject("wait", "bool_type", "Must be true or false.");
  return issues.length > 0 ? errorResponse(422, issues) : fields;
}

/** Resolves aliases of the wire format, where `person` and `garments` are URLs. In the client they can be images. */
function canonicalWireFields({ person, garments, ...fields }: Fields): Fields {
  if (isEmpty(fields["person_url"])) fields["person_url"] = person;
  if (isEmpty(fields["garment_urls"])) fields["garment_urls"] = garments;
  return canonicalFields(fields);
}
