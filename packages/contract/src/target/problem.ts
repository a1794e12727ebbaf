import type { NoResponse } from "../wire/send.ts";

/** Why no check could be made at all. */
export type ProblemKind = "unreachable" | "tls" | "wrong-key" | "other-service";

/** A deployment that cannot be looked at; the message is one sentence. */
export class TargetProblem extends Error {
  override readonly name = "TargetProblem";
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Options with which no run can be begun; the message names what is wrong, and what can be. */
export class OptionsError extends TypeError {
  override readonly name = "OptionsError";
}

const tlsCode = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/;

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was broken",
  ETIMEDOUT: "the host does not answer",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no network to the host",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
};

/** What a call without an answer says of the whole deployment. */
export function problemOf(baseUrl: string, error: NoResponse): TargetProblem {
  const { code } = error;
  if (tlsCode.test(code)) {
    return new TargetProblem(
      "tls",
      `The connection to ${baseUrl} is not safe: TLS failed with ${code}.`,
      error,
    );
  }
  const reason = reasons[code] ?? (code === "" ? deepestMessage(error) : code);
  return new TargetProblem("unreachable", `${baseUrl} cannot be reached: ${reason}.`, error);
}

/** What lies under an error: the outermost one of fetch says no more than that it failed. */
function deepestMessage(error: Error): string {
  return error.cause instanceof Error ? deepestMessage(error.cause) : error.message;
}
