import type { Fields } from "../api/canonical-fields.ts";
import { errorResponse } from "./error-response.ts";
import { filterFields, filterPurchase } from "./filter-fields.ts";
import type { ProxyKind } from "./options.ts";
import { readBody } from "./read-body.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { userTagField } from "./to-user-job.ts";

/** Maximum number of keys in the metadata, as in the service. */
const maxMetadataKeys = 8;

/** Fields that the proxy adds to a submission. */
interface Additions {
  readonly added: Readonly<Record<string, unknown>> | undefined;
  /** Tag of the user's jobs; undefined if users cannot list jobs. */
  readonly userTag: string | undefined;
}

/** Builds the body for the service from the user's body; returns an error response if that is invalid. */
export async function buildBody(
  request: Request,
  kind: ProxyKind,
  options: ResolvedOptions,
  additions?: () => Promise<Additions>,
): Promise<string | Response> {
  // Pages of other sites can send other content types without a preflight request.
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    const msg = "The content type must be application/json.";
    return errorResponse(422, [{ loc: ["header", "content-type"], msg, type: "content_type" }]);
  }
  if (request.bodyUsed) {
    throw new Error("authorize or limit has read the body. Read request.clone() instead.");
  }
  const text = await readBody(request, options.maxBody);
  if (text instanceof Response) return text;
  const { fields, issues } = kind === "submit" ? filterFields(text, options) : filterPurchase(text);
  if (!fields) return errorResponse(422, issues);
  const all = additions ? addFieldsOf(await additions(), fields) : fields;
  if (Object.keys(Object(all["metadata"])).length > maxMetadataKeys) {
    const msg = `metadata must have at most ${maxMetadataKeys} keys, including those of the proxy.`;
    return errorResponse(422, [{ loc: ["body", "metadata"], msg, type: "too_long" }]);
  }
  return JSON.stringify(all);
}

/** Adds the fields of the proxy, which override those of the user. */
function addFieldsOf({ added, userTag }: Additions, fields: Fields): Fields {
  const metadata = {
    ...Object(fields["metadata"]),
    ...Object(added?.["metadata"]),
    ...(userTag !== undefined && { [userTagField]: userTag }),
  };
  return { ...fields, ...added, ...(Object.keys(metadata).length > 0 && { metadata }) };
}
