import type { Fields } from "../jobs/fold-aliases.ts";
import { filterFields, filterPurchase } from "./filter-fields.ts";
import type { ProxyKind } from "./options.ts";
import { readBody } from "./read-body.ts";
import { refuse } from "./refusal.ts";
import type { Bounds } from "./settings.ts";
import { userField } from "./show-job.ts";

/** What the proxy itself puts into a submission. */
interface Additions {
  readonly added: Readonly<Record<string, unknown>> | undefined;
  /** What marks the job as the visitor's, where they may list their jobs. */
  readonly mark: string | undefined;
}

/** The body that goes to the service for what a visitor posted, or why none does. */
export async function bodyOf(
  request: Request,
  kind: ProxyKind,
  bounds: Bounds,
  additions?: () => Promise<Additions>,
): Promise<string | Response> {
  // Pages of other sites can send what calls itself something else without asking first.
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    const msg = "The body has to be application/json.";
    return refuse(422, [{ loc: ["header", "content-type"], msg, type: "content_type" }]);
  }
  if (request.bodyUsed) {
    throw new Error("authorize or limit has read the body: give it request.clone() to read.");
  }
  const text = await readBody(request, bounds.maxBody);
  if (text instanceof Response) return text;
  const { fields, issues } = kind === "submit" ? filterFields(text, bounds) : filterPurchase(text);
  if (!fields) return refuse(422, issues);
  const all = additions ? addTo(fields, await additions()) : fields;
  const { length } = Object.keys(Object(all["metadata"]));
  if (length > mostMetadata) {
    const msg = `It has no room for more than ${mostMetadata} keys with those of the proxy.`;
    return refuse(422, [{ loc: ["body", "metadata"], msg, type: "too_long" }]);
  }
  return JSON.stringify(all);
}

const mostMetadata = 8;

/** The fields of the visitor under those of the proxy. */
function addTo(fields: Fields, { added, mark }: Additions): Fields {
  const metadata = {
    ...Object(fields["metadata"]),
    ...Object(added?.["metadata"]),
    ...(mark !== undefined && { [userField]: mark }),
  };
  return { ...fields, ...added, ...(Object.keys(metadata).length > 0 && { metadata }) };
}
