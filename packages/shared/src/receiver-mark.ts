/** Header of each response of a receiver, which a page that responds with 200 does not have. */
export const receiverMark = "x-tryon-receiver";

/** Returns the kind of server that responded to an event: a receiver of this SDK, a page, or another one. */
export function responderOf({ headers }: Pick<Response, "headers">): "receiver" | "page" | "other" {
  if (headers.has(receiverMark)) return "receiver";
  return /^\s*(text\/html|application\/xhtml\+xml)/i.test(headers.get("content-type") ?? "")
    ? "page"
    : "other";
}

export const pageResponded = "a page answered, not a receiver; the service will not send it again";
export const notRecognized = "not recognized as a receiver of this SDK";
