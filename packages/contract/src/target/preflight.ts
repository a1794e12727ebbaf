import { elementsOf, fieldsOf, type HttpResponse } from "../wire/response.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import type { Redactor } from "../wire/redactor.ts";
import { problemOf, TargetProblem } from "./problem.ts";
import type { Key, KeyName } from "./keys.ts";

/** A deployment that is not known yet. */
interface Target {
  readonly send: Send;
  readonly baseUrl: string;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
}

/** How long the first call may take, in milliseconds: the account is answered at once. */
const patience = 30_000;

/**
 * Makes sure that there is a deployment, that it is one of this service, and that it takes the keys that are to work.
 *
 * @returns the answers for their accounts.
 * @throws TargetProblem
 */
export async function preflight(
  target: Target,
  { test, live }: Readonly<Partial<Record<KeyName, Key>>>,
): Promise<ReadonlyMap<KeyName, HttpResponse>> {
  const accounts = new Map<KeyName, HttpResponse>();
  const look = (token?: string): Promise<HttpResponse> => account(target, token);
  if (test === undefined && live === undefined) await look();
  if (test !== undefined) accounts.set("test", await look(test.token));
  if (live !== undefined) accounts.set("live", await look(live.token));
  return accounts;
}

/** The credits that an account has; without a limit when it does not say so. */
export function balanceOf(answer: HttpResponse | undefined): number {
  const { credits_remaining: credits } = fieldsOf(answer?.json);
  return typeof credits === "number" ? credits : Infinity;
}

/** @param token the key, or undefined where the kit will make its own. */
async function account(target: Target, token: string | undefined): Promise<HttpResponse> {
  const { send, baseUrl, redactor, signal } = target;
  signal?.throwIfAborted();
  try {
    const answer = await send({
      method: "GET",
      path: "/api/v1/account",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(patience),
    });
    if (!isTheService(answer)) {
      throw new TargetProblem(
        "other-service",
        `${baseUrl} answers, but it is something else than the try-on service: GET /api/v1/account gave ${answer.status} with ${answer.headers.get("content-type") ?? "no content type"}${whereTo(answer, redactor)}.`,
      );
    }
    if (token !== undefined) refuseKey(answer, redactor);
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof NoResponse ? problemOf(baseUrl, error) : error;
  }
}

/** Whether an answer for the account is one that the service can give. */
function isTheService({ status, json }: HttpResponse): boolean {
  const { detail, credits_remaining: credits, tryon_cost_credits: costs } = fieldsOf(json);
  if (status === 200) return typeof credits === "number" && costs !== undefined;
  // 404 is what a server says that does not know the address.
  return [401, 403, 429, 500, 503].includes(status) && isDetail(detail);
}

function isDetail(detail: unknown): boolean {
  return typeof detail === "string" || elementsOf(detail).length > 0;
}

function refuseKey({ status, json }: HttpResponse, redactor: Redactor): void {
  if (status !== 401 && status !== 403) return;
  const { detail } = fieldsOf(json);
  const said = typeof detail === "string" ? detail : JSON.stringify(detail);
  throw new TargetProblem("wrong-key", `The key is refused (${status}): ${shown(said, redactor)}`);
}

/** Text of a deployment for a sentence: on one line and short. */
function shown(text: string, redactor: Redactor): string {
  return redactor.redactStart(text, 200).replaceAll(/[\p{Cc}\s]+/gu, " ");
}

function whereTo({ status, headers }: HttpResponse, redactor: Redactor): string {
  const to = headers.get("location");
  return status < 300 || status > 399 || to === null
    ? ""
    : `, which leads to ${shown(to, redactor)}`;
}
