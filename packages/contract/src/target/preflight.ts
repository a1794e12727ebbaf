import { elementsOf, fieldsOf, type HttpResponse } from "../wire/response.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import type { Redactor } from "../wire/redactor.ts";
import { problemOf, TargetProblem } from "./problem.ts";
import type { Key, KeyName } from "./keys.ts";

/** Deployment that may be unreachable or another service. */
interface Target {
  readonly send: Send;
  readonly baseUrl: string;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
}

/** Timeout of the first request, in milliseconds. */
const timeout = 30_000;

/**
 * Checks that a deployment of the service responds, and that it accepts the keys.
 *
 * @returns the accounts of the keys.
 * @throws TargetProblem
 */
export async function preflight(
  target: Target,
  { test, live }: Readonly<Partial<Record<KeyName, Key>>>,
): Promise<ReadonlyMap<KeyName, HttpResponse>> {
  const accounts = new Map<KeyName, HttpResponse>();
  const readAccount = (token?: string): Promise<HttpResponse> => requestAccount(target, token);
  if (test === undefined && live === undefined) await readAccount();
  if (test !== undefined) accounts.set("test", await readAccount(test.token));
  if (live !== undefined) accounts.set("live", await readAccount(live.token));
  return accounts;
}

/** Balance of an account, or `Infinity` if it has none. */
export function balanceOf(account: HttpResponse | undefined): number {
  const { credits_remaining: credits } = fieldsOf(account?.json);
  return typeof credits === "number" ? credits : Infinity;
}

/** @param token of a key, or undefined if the kit makes its keys. */
async function requestAccount(target: Target, token: string | undefined): Promise<HttpResponse> {
  const { send, baseUrl, redactor, signal } = target;
  signal?.throwIfAborted();
  try {
    const response = await send({
      method: "GET",
      path: "/api/v1/account",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeout),
    });
    if (!isTryOnService(response)) {
      throw new TargetProblem(
        "other-service",
        `${baseUrl} is not the try-on service: GET /api/v1/account got ${response.status} with ${response.headers.get("content-type") ?? "no content type"}${redirectOf(response, redactor)}.`,
      );
    }
    if (token !== undefined) rejectRefused(response, redactor);
    return response;
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof NoResponse ? problemOf(baseUrl, error) : error;
  }
}

/** If true, the service can send this response for an account. */
function isTryOnService({ status, json }: HttpResponse): boolean {
  const { detail, credits_remaining: credits, tryon_cost_credits: costs } = fieldsOf(json);
  if (status === 200) return typeof credits === "number" && costs !== undefined;
  // Any other server may send a 404.
  return [401, 403, 429, 500, 503].includes(status) && isDetail(detail);
}

function isDetail(detail: unknown): boolean {
  return typeof detail === "string" || elementsOf(detail).length > 0;
}

function rejectRefused({ status, json }: HttpResponse, redactor: Redactor): void {
  if (status !== 401 && status !== 403) return;
  const { detail } = fieldsOf(json);
  const text = typeof detail === "string" ? detail : JSON.stringify(detail);
  throw new TargetProblem(
    "wrong-key",
    `The key is refused (${status}): ${oneLine(text, redactor)}`,
  );
}

/** Makes text of a deployment short, and puts it on one line. */
function oneLine(text: string, redactor: Redactor): string {
  return redactor.redactStart(text, 200).replaceAll(/[\p{Cc}\s]+/gu, " ");
}

function redirectOf({ status, headers }: HttpResponse, redactor: Redactor): string {
  const to = headers.get("location");
  return status < 300 || status > 399 || to === null
    ? ""
    : `, which redirects to ${oneLine(to, redactor)}`;
}
