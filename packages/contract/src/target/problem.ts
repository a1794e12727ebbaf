import type { NoResponse } from "../wire/send.ts";

/** Reason why no check can run. */
export type ProblemKind = "unreachable" | "tls" | "wrong-key" | "other-service";

/** Deployment that cannot be checked. The message is one sentence. */
export class TargetProblem extends Error {
  override readonly name = "TargetProblem";
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Invalid options. The message has the invalid option and the valid values. */
export class OptionsError extends TypeError {
  override readonly name = "OptionsError";
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

/** Makes the problem of a deployment of a request without a response. */
export function problemOf(baseUrl: string, error: NoResponse): TargetProblem {
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
