import type { RequestOptions } from "../../request-options.ts";
import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { skipUnlessJudged } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { mustHaveStatus } from "../expectations.ts";

type Row = Pick<Check, "id" | "title" | "rules"> & Partial<Pick<Check, "level">>;

/** Fields in which submissions differ from a good one, and that may need the URL of an image. */
type Variants = readonly Fields[] | ((imageUrl: string) => readonly Fields[]);

/** Submissions that the service takes or refuses. */
export interface SubmissionRow extends Row {
  readonly taken?: Variants;
  readonly refused?: Variants;
  /**
   * Statuses that count as a refusal.
   * @default both statuses for bad input
   */
  readonly statuses?: readonly number[];
  /** Status of a refusal. Whether the service refuses at all has other checks. */
  readonly statusIfRefused?: number;
}

/** A request and the status of its response. */
export type ExpectedStatus = readonly [
  what: string,
  status: number | readonly number[],
  endpoint: string,
  options?: RequestOptions,
];

/** Requests with the statuses of their responses. */
export interface RequestRow extends Row {
  readonly requests: (
    session: Session,
  ) => readonly ExpectedStatus[] | Promise<readonly ExpectedStatus[]>;
}

/** Statuses that the document has for bad input. */
export const badInput = [400, 422] as const;

/** Host that never exists (RFC 2606), so that no image can be fetched from it. */
export const unreachable = "https://tryon-contract.invalid/image.png";

/** Maximum cost of finding the URL of an image. */
export const imageUrlCredits = 24;

/** Makes a check that sends one submission for each variant. */
export function submissionCheck(row: SubmissionRow): Check {
  const { taken = [], refused = [], statuses = badInput, statusIfRefused, ...rest } = row;
  const needsUrl = typeof taken === "function" || typeof refused === "function";
  const credits = maxCredits([...variantsOf(taken, ""), ...variantsOf(refused, "")]);
  return {
    level: "safe",
    on: "any",
    credits: credits + (needsUrl ? imageUrlCredits : 0),
    ...rest,
    async run(session) {
      const url = needsUrl ? await findImageUrl(session) : "";
      for (const fields of variantsOf(taken, url)) await mustTake(session, fields);
      for (const fields of variantsOf(refused, url)) {
        if (statusIfRefused === undefined) await mustRefuse(session, fields, statuses);
        else {
          const what = `a submission with ${described(fields)}`;
          mustBeIfRefused(await session.submit(fields), statusIfRefused, what);
        }
      }
    },
  };
}

/** Makes a check of the statuses of requests that are free. */
export function requestCheck({ requests, ...row }: RequestRow): Check {
  return {
    level: "safe",
    on: "any",
    credits: 0,
    ...row,
    async run(session) {
      for (const [what, status, endpoint, options] of await requests(session)) {
        const [method = "", path = ""] = endpoint.split(" ");
        mustHaveStatus(await session.request(method, path, options), status, what);
      }
    },
  };
}

/** @throws CheckFailure unless the submission is taken, SkipCheck for a response that does not depend on its fields. */
export async function mustTake(session: Session, fields: Fields): Promise<HttpResponse> {
  const response = await session.submit(fields);
  skipUnlessJudged(response);
  mustHaveStatus(response, 200, `a submission with ${described(fields)}`);
  return response;
}

/** @throws CheckFailure unless the submission is refused. */
export async function mustRefuse(
  session: Session,
  fields: Fields,
  statuses: readonly number[] = badInput,
): Promise<void> {
  const response = await session.submit(fields);
  skipUnlessJudged(response);
  mustHaveStatus(response, statuses, `a submission with ${described(fields)}`);
}

/** @throws CheckFailure when bad input is refused with another status. */
export function mustBeIfRefused(response: HttpResponse, status: number, what: string): void {
  if (isRefused(response)) mustHaveStatus(response, status, what);
}

/** If true, a response refuses bad input. */
export function isRefused({ status }: HttpResponse): boolean {
  return badInput.some((refusal) => refusal === status);
}

/** @throws CheckFailure unless the body has a text in `detail`. */
export function mustHaveDetail(response: HttpResponse): void {
  const { detail } = fieldsOf(response.json);
  must(typeof detail === "string", `The ${response.status} has no text in detail.`, response);
}

/**
 * Finds a URL that the deployment takes for an image. One that fetches nothing takes any. Others can fetch the result of
 * a try-on.
 *
 * @throws SkipCheck when there is none.
 */
export async function findImageUrl(session: Session): Promise<string> {
  const takes = async (url: string): Promise<boolean> => {
    const fields = { person_image_b64: undefined, person_url: url };
    return (await session.submit(fields)).status === 200;
  };
  const any = "https://example.com/image.png";
  if (await takes(any)) return any;
  const { result_url: result } = fieldsOf((await session.submitAndWait()).json);
  if (typeof result === "string" && (await takes(result))) return result;
  throw new SkipCheck("The deployment fetches images, but cannot fetch even its own results.");
}

/** Describes the fields of a submission, with long values cut and without the queries of URLs. */
export function described(fields: Fields): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = (JSON.stringify(value) ?? "").replaceAll(/\?[^"]*/g, "?…");
    const cut = text.length > 60 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
    return value === undefined ? `no ${name}` : `${name} ${cut}`;
  });
  return parts.join(" and ");
}

/** Cost of submissions if the service takes all of them. */
function maxCredits(variants: readonly Fields[]): number {
  return variants.reduce((sum, { output_size: size }) => {
    const cost = typeof size === "string" ? costs[size.toUpperCase()] : 8;
    return sum + (cost ?? 20);
  }, 0);
}

function variantsOf(variants: Variants, imageUrl: string): readonly Fields[] {
  return typeof variants === "function" ? variants(imageUrl) : variants;
}
