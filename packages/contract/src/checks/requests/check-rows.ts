import type { RequestOptions } from "../../session/http.ts";
import type { Check } from "../../check.ts";
import { SkipCheck } from "../../outcome.ts";
import { skipUnlessJudged } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { LargeText } from "../../wire/large-text.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { checkTable, mustHaveStatus, type Rows } from "../expectations.ts";
import { runJob } from "../jobs/job-run.ts";

/** Fields in which submissions differ from a good one, and that may need the URL of an image. */
type Variants = readonly Fields[] | ((imageUrl: string) => readonly Fields[]);

interface Submissions {
  readonly taken?: Variants;
  readonly refused?: Variants;
  /**
   * Statuses that count as a refusal.
   * @default both statuses for bad input
   */
  readonly statuses?: readonly number[];
  /** If true, the service may take them too, for which other checks fail. */
  readonly mayTake?: boolean;
}

export type ExpectedStatus = readonly [
  what: string,
  status: number | readonly number[],
  endpoint: string,
  options?: RequestOptions,
];

interface Requests {
  readonly requests: (
    session: Session,
  ) => readonly ExpectedStatus[] | Promise<readonly ExpectedStatus[]>;
}

export const badInput = [400, 422] as const;

export const noPerson = { person_image_b64: undefined };
export const noGarment = { garment_images_b64: undefined };
export const noSize = { output_size: undefined };

/** Host that never exists (RFC 2606), so that nothing can be fetched from it or sent to it. */
export const unreachable = "https://tryon-contract.invalid/image.png";

export const imageUrlCredits = 24;

export function submissionChecks(rows: Rows<Submissions>): readonly Check[] {
  return checkTable("safe", maxCredits, mustJudge, rows);
}

async function mustJudge(session: Session, row: Submissions): Promise<void> {
  const { taken = [], refused = [], statuses = badInput, mayTake = false } = row;
  const needsUrl = typeof taken === "function" || typeof refused === "function";
  const url = needsUrl ? await findImageUrl(session) : "";
  for (const fields of variantsOf(taken, url)) await mustRespondWith(session, 200, fields);
  for (const fields of variantsOf(refused, url)) {
    if (!mayTake) await mustRespondWith(session, statuses, fields);
    else {
      const response = await session.http.submit(fields);
      if (isRefused(response)) mustHaveStatus(response, statuses, submissionWith(fields));
    }
  }
}

export function requestChecks(rows: Rows<Requests>): readonly Check[] {
  return checkTable<Requests>("safe", 0, mustHaveStatuses, rows);
}

async function mustHaveStatuses(session: Session, { requests }: Requests): Promise<void> {
  for (const [what, status, endpoint, options] of await requests(session)) {
    const [method = "", path = ""] = endpoint.split(" ");
    mustHaveStatus(await session.http.request(method, path, options), status, what);
  }
}

/** @throws CheckFailure for another status, SkipCheck for a response that does not depend on the fields. */
export async function mustRespondWith(
  { http }: Session,
  status: number | readonly number[],
  fields: Fields,
): Promise<HttpResponse> {
  const response = await http.submit(fields);
  skipUnlessJudged(response);
  mustHaveStatus(response, status, submissionWith(fields));
  return response;
}

function submissionWith(fields: Fields): string {
  return `a submission with ${described(fields)}`;
}

export function isRefused({ status }: HttpResponse): boolean {
  return badInput.some((refusal) => refusal === status);
}

/** Finds a URL that the deployment takes for an image: any if it fetches nothing, or else its own result. */
export async function findImageUrl(session: Session): Promise<string> {
  const takes = async (url: string): Promise<boolean> => {
    const fields = { person_image_b64: undefined, person_url: url };
    return (await session.http.submit(fields)).status === 200;
  };
  const any = "https://example.com/image.png";
  if (await takes(any)) return any;
  const { result_url: result } = fieldsOf((await runJob(session)).ended.json);
  if (typeof result === "string" && (await takes(result))) return result;
  throw new SkipCheck("The deployment fetches images, but cannot fetch even its own results.");
}

export function described(fields: Fields): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = (JSON.stringify(value, withoutLarge) ?? "").replaceAll(/\?[^"]*/g, "?…");
    const cut = text.length > 60 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
    return value === undefined ? `no ${name}` : `${name} ${cut}`;
  });
  return parts.join(" and ");
}

function withoutLarge(_name: string, value: unknown): unknown {
  return value instanceof LargeText ? String(value) : value;
}

function maxCredits({ taken = [], refused = [] }: Submissions): number {
  const needsUrl = typeof taken === "function" || typeof refused === "function";
  const variants = [...variantsOf(taken, ""), ...variantsOf(refused, "")];
  return variants.reduce(
    (sum, { output_size: size }) =>
      sum + (typeof size === "string" ? (costs[size.toUpperCase()] ?? 20) : 8),
    needsUrl ? imageUrlCredits : 0,
  );
}

function variantsOf(variants: Variants, imageUrl: string): readonly Fields[] {
  return typeof variants === "function" ? variants(imageUrl) : variants;
}
