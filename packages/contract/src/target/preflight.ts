import { gatewayOf, sourceOf } from "../wire/gateway.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../wire/response.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import type { Redactor } from "../wire/redactor.ts";
import type { Key, Keys } from "./keys.ts";

/** Reason why no check can run. */
export type ProblemKind = "unreachable" | "tls" | "wrong-key" | "other-service";

/** Deployment that cannot be checked. The message is one sentence. */
export class TargetProblem extends Error {
  /** Always `TargetProblem`. */
  override readonly name = "TargetProblem";
  /** Reason as a code. */
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const timeout = 30_000;

interface Target {
  readonly send: Send;
  readonly baseUrl: string;
  readonly redactor: Redactor;
  readonly signal?: AbortSignal | undefined;
}

export async function preflight(
  target: Target,
  { test, live }: Keys,
): Promise<readonly (readonly [Key, HttpResponse])[]> {
  const accounts: [Key, HttpResponse][] = [];
  for (const key of [test, live]) {
    if (key !== undefined) accounts.push([key, await requestAccount(target, key.token)]);
  }
  if (accounts.length === 0) await requestAccount(target, undefined);
  return accounts;
}

export function balanceOf(account: HttpResponse | undefined): number {
  const { credits_remaining: credits } = fieldsOf(account?.json);
  return typeof credits === "number" ? credits : Infinity;
}

async function requestAccount(
  { send, baseUrl, redactor, signal }: Target,
  token: string | undefined,
): Promise<HttpResponse> {
  const request = {
    method: "GET",
    path: "/api/v1/account",
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  };
  const limit = AbortSignal.timeout(timeout);
  const response = await send(request, limit).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (limit.aborted) {
      const message = `${baseUrl} cannot be reached: it did not respond within ${timeout / 1_000} s.`;
      throw new TargetProblem("unreachable", message, error);
    }
    throw error instanceof NoResponse ? problemOf(baseUrl, error) : error;
  });
  const { status, headers, json } = response;
  const oneLine = (text: string): string =>
    redactor.redactStart(text, 200).replaceAll(/[\p{Cc}\s]+/gu, " ");
  if (!isTryOnService(response)) {
    const target = status >= 300 && status <= 399 ? headers.get("location") : null;
    const source = gatewayOf(response) === undefined ? "" : sourceOf(response);
    const redirect = target === null ? "" : `, which redirects to ${oneLine(target)}`;
    throw new TargetProblem(
      "other-service",
      `${baseUrl} is not the try-on service: GET /api/v1/account got ${status} with ${headers.get("content-type") ?? "no content type"}${source}${redirect}.`,
    );
  }
  if (token !== undefined && (status === 401 || status === 403)) {
    const { detail } = fieldsOf(json);
    const text = typeof detail === "string" ? detail : JSON.stringify(detail);
    throw new TargetProblem("wrong-key", `The key is refused (${status}): ${oneLine(text)}`);
  }
  return response;
}

/** Fields of an account that other services hardly have. */
const accountFields = ["credits_remaining", "rate_limit_per_min", "tryon_cost_credits"];

function isTryOnService({ status, json }: HttpResponse): boolean {
  const account = fieldsOf(json);
  // Checks report a field that is missing or has another type.
  if (status === 200) return accountFields.filter((name) => name in account).length >= 2;
  const { detail } = account;
  const isDetail = typeof detail === "string" || elementsOf(detail).length > 0;
  // Any other server may send a 404.
  return [401, 403, 429, 500, 503].includes(status) && isDetail;
}

const tlsCode = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/;

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  ECONNREFUSED: "no server listens on the port",
  ECONNRESET: "the connection was reset",
  ETIMEDOUT: "the host does not respond",
  EHOSTUNREACH: "the host has no route",
  ENETUNREACH: "the network of the host cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "the host does not respond",
};

function problemOf(baseUrl: string, error: NoResponse): TargetProblem {
  const { code } = error;
  if (tlsCode.test(code)) {
    return new TargetProblem(
      "tls",
      `The connection to ${baseUrl} is not secure: TLS failed with ${code}.`,
      error,
    );
  }
  const reason = reasons[code] ?? (code === "" ? deepestMessage(error) : code);
  return new TargetProblem("unreachable", `${baseUrl} cannot be reached: ${reason}.`, error);
}

/** Message of the first cause. Errors of fetch have no details. */
function deepestMessage(error: Error): string {
  return error.cause instanceof Error ? deepestMessage(error.cause) : error.message;
}
