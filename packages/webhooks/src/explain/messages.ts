import type { Cause, Finding, CauseFinding } from "./cause.ts";

const keepBytes =
  'Pass the bytes as they arrived. Express: express.raw({ type: "*/*" }) ahead of express.json(). Fastify: parseAs: "buffer". Koa: ctx.req, unparsed. Next.js, Hono and other fetch handlers: the Request, unread.';
const passHeaders =
  "Pass the headers as they arrived. If they are, something before this program drops some, or the request is not from the service.";
const passValue = "Pass the value of X-Service-Signature as it arrived.";
const pollJob = "Ask for the job by its id instead, and tell the service.";
const lookForProxy = "Look for a proxy or middleware that changes headers.";

/** What each cause says: what is wrong, and what to do, which may go on in words that others have too. */
const words: Readonly<Record<Cause, readonly [message: string, fix: string, more?: string]>> = {
  secret_missing: [
    "No secret is set",
    "Set `secrets`, or the environment variable that it reads: is its name spelled right, and is it set where this runs?",
  ],
  secret_blank: ["A secret is blank", "Set it, or leave the entry undefined to skip it."],
  secret_not_text: ["A secret is no text", "Pass the secret as a string, its whsec_ included."],
  secret_source_failed: [
    "The function that gives the secrets failed",
    "Call it by itself and see what it throws; verify() has that as the cause of its error.",
  ],
  secret_padded: [
    "The secret has white space, a line break or quotes around it that do not belong to it",
    "Take them off where the secret is set: quotes in an env file or a container's settings, the line break at the end of a file.",
  ],
  secret_unpadded: [
    "The signer's secret has white space, a line break or quotes around it",
    "Take them off where the signer's secret is set; echo adds a line break, printf does not.",
  ],
  secret_prefix_missing: [
    "The secret lacks its whsec_",
    "Give all of it: the prefix is part of the key.",
  ],
  secret_prefix_doubled: ["The secret begins with whsec_ twice", "Take one of them off."],
  secret_prefix_unused: [
    "The signer used the secret without its whsec_",
    "The service signs with all of it. If the signer is yours, do not take the prefix off.",
  ],
  secret_encoded: [
    "The key is what the secret gives when it is decoded",
    "If the secret was encoded to be stored, decode it before it is passed. If the signer is yours: the service does not decode its secret.",
  ],
  secret_decoded: [
    "The key is the secret in encoded form",
    "Pass the secret as it was shown, not decoded; if the signer is yours, do not encode it.",
  ],
  secret_list_joined: [
    "The secret is several in one text",
    'Pass them as a list: split the variable, as in process.env.SECRETS.split(",").',
  ],
  secret_of_other_key: [
    "The delivery was signed with the secret of another API key",
    "Each key has its own secret: take the one of the key that made the job. Are test and live swapped?",
  ],
  secret_is_api_key: [
    "The secret is an API key",
    "The webhook secret begins with whsec_ and was shown beside the key. Make a new key if it is lost.",
  ],
  secret_placeholder: [
    "The secret looks like a variable that nobody filled in",
    "Set the variable where this program runs.",
  ],
  body_missing: ["There is no body", keepBytes],
  body_parsed: ["The body was parsed: it is no longer the bytes that were signed", keepBytes],
  body_read_before: ["Something has read the body before", keepBytes],
  body_not_bytes: ["The body is neither bytes nor text nor a request", keepBytes],
  body_unreadable: ["The body broke off, or it is a stream of text", keepBytes],
  body_empty: [
    "The body is empty, which no delivery of the service is",
    "Something has read it before, or never waited for it.",
    keepBytes,
  ],
  body_too_long: [
    "The body is longer than maxBodyBytes",
    "Refuse it with 413. An event has well under 10,000 bytes; raise maxBodyBytes only if you do expect more.",
  ],
  body_rewritten: ["The body's JSON was parsed and written anew", keepBytes],
  body_line_end: [
    "The line break at the end of the body was put on or taken off",
    "Look for trim(), a text editor, or a file that was saved.",
    keepBytes,
  ],
  body_line_breaks: [
    "Line breaks were changed between CRLF and LF",
    "Keep the body from text modes: a file that Git or an editor converts, a template.",
  ],
  body_byte_order_mark: [
    "The byte order mark at the start was put on or taken off",
    "text() and TextDecoder take it off.",
    keepBytes,
  ],
  body_charset: [
    "The body was decoded or encoded in another charset than UTF-8",
    "Make no text of it before it is verified.",
    keepBytes,
  ],
  body_bytes_lost: [
    "The body has the character U+FFFD, which stands for bytes that a decoder could not read",
    "Chunks that are decoded one by one break characters apart.",
    keepBytes,
  ],
  body_base64: [
    "The body is in base64",
    "AWS Lambda: where event.isBase64Encoded is true, pass Buffer.from(event.body, 'base64').",
  ],
  body_form_encoded: [
    "The body was made a form or percent-encoded",
    "Take the parser of forms off this route.",
    keepBytes,
  ],
  body_compressed: [
    "The body is compressed with gzip",
    "Decompress before verifying, where the proxy or server does not: the signature is over the plain body.",
  ],
  body_quoted: [
    "The body is a JSON string that holds the JSON",
    "It went through JSON.stringify once more, perhaps in a queue: undo that.",
    keepBytes,
  ],
  body_buffer_json: [
    "The body is a buffer that was written as JSON",
    "It went through JSON.stringify, perhaps in a queue: carry it as base64 and decode it before verifying.",
  ],
  headers_missing: ["There are no headers", passHeaders],
  signature_header_missing: ["There is no X-Service-Signature header", passHeaders],
  signature_header_renamed: [
    "X-Service-Signature is there under another name",
    "Pass the headers of the request itself, or give the value its name back.",
  ],
  signature_header_other: [
    "There is a signature of another service",
    "Is this the route of another service's webhooks? Only X-Service-Signature counts here.",
  ],
  signature_empty: ["X-Service-Signature has no value", passValue],
  signature_not_text: ["X-Service-Signature is no text", passValue],
  signature_padded: [
    "X-Service-Signature has white space or quotes around it",
    "A header that came over HTTP has none; look where it was stored or copied.",
    passValue,
  ],
  signature_prefix_case: [
    "The prefix of X-Service-Signature is not sha256= in lower case",
    passValue,
  ],
  signature_prefix_missing: [
    "X-Service-Signature lacks its sha256=",
    "If the signer is yours, write sha256= before the digits.",
    passValue,
  ],
  signature_prefix_wrong: [
    "X-Service-Signature begins with another prefix than sha256=",
    "If the signer is yours, write sha256= and 64 hexadecimal digits. If not, it is not the service.",
  ],
  signature_base64: [
    "The digest in X-Service-Signature is in base64",
    'It has to be hexadecimal: in Node digest("hex").',
  ],
  signature_length: [
    "The digest in X-Service-Signature has not 64 digits",
    "It was cut off, or something was put to it.",
    passValue,
  ],
  signature_not_hex: [
    "The digest in X-Service-Signature has other characters than hexadecimal digits",
    passValue,
  ],
  signature_other_hash: [
    "The digest in X-Service-Signature has the length of another hash than SHA-256",
    'Sign with HMAC-SHA256: in Node createHmac("sha256", secret).',
  ],
  signature_of_other_service: [
    "X-Service-Signature has the format of another service",
    "Is the request from that service? If the signer is yours, write sha256= and 64 hexadecimal digits.",
  ],
  signature_repeated: [
    "The same X-Service-Signature came more than once",
    "Look for a proxy that copies headers, or for code that joins two sources of them.",
  ],
  signature_contradicted: [
    "Several X-Service-Signature headers came that differ",
    "The service sends one. Look for a proxy that adds another; otherwise somebody tries to smuggle one in.",
  ],
  json_not_utf8: ["The signature is right, but the signed bytes are no UTF-8", pollJob],
  json_syntax: ["The signature is right, but the signed text is no JSON", pollJob],
  event_not_object: ["The signature is right, but the signed JSON is no object", pollJob],
  event_field: ["The signature is right, but a field is missing or has a wrong value", pollJob],
  header_event_differs: ["X-Service-Event says other than the signed body", lookForProxy],
  header_job_id_differs: ["X-Service-Job-Id says other than the signed body", lookForProxy],
  time_missing: [
    "The signed completed_at is missing or no time",
    "Leave maxAge out, or ask for the job if you still need it.",
  ],
  time_too_old: [
    "The signed completed_at is longer ago than maxAge",
    "Check this machine's clock. If it is right, the delivery is a recorded one or maxAge is too small.",
  ],
  nothing_fits: [
    "The signature fits nothing that was tried",
    "Check that the secret is the one of the key that made the job, give the secrets of your other keys as otherSecrets (--other-secret-file at a terminal), and look at what stands between the service and this program. Otherwise the request is forged.",
  ],
};

/** Puts a trouble into words. */
export function findingOf({ cause, detail }: CauseFinding, proven: boolean): Finding {
  const [message, ...fixes] = words[cause];
  return {
    cause,
    proven,
    message: `${message}${detail === undefined ? "" : ` (${detail})`}.`,
    fix: fixes.join(" "),
  };
}
