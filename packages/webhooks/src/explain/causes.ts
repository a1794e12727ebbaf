const passBytes =
  'Pass the bytes as they arrived. Express: express.raw({ type: "*/*" }) before express.json(). Fastify: parseAs: "buffer". Koa: ctx.req. Next.js, Hono and other fetch handlers: the unread Request.';
const passHeaders =
  "Pass all headers as they arrived. If you do, a proxy removes some, or the request is not from the service.";
const passValue = "Pass the value of X-Service-Signature as it arrived.";
const writeValue =
  "Pass the value as it arrived. If the signer is yours, write sha256= and 64 hexadecimal digits.";
const getJob = "Get the job by its id instead, and report it to the service.";

const causes = {
  secret_missing: [
    "A secret is missing, blank or not a string.",
    "Set `secrets`, or the environment variable that it reads, where this program runs.",
  ],
  secret_source_failed: [
    "The function for the secrets failed.",
    "Call it by itself. The error of verify() has its error as `cause`.",
  ],
  secret_placeholder: [
    "The secret looks like a variable without a value.",
    "Set the variable where this program runs.",
  ],
  secret_is_api_key: [
    "The secret is an API key.",
    "Use the webhook secret. It begins with whsec_ and was shown with the API key.",
  ],
  secret_padded: [
    "The secret has quotes around it, or white space or a line break at the signer.",
    "Remove them where the secret is set, such as an env file. `echo` adds a line break, `printf` does not.",
  ],
  secret_prefix: [
    "The prefix whsec_ of the secret is missing, doubled, or not used by the signer.",
    "Use the whole secret as the key, with its prefix once.",
  ],
  secret_encoded: [
    "The secret is encoded or decoded on one side only.",
    "Use the secret as it was shown, without base64 or hexadecimal decoding.",
  ],
  secret_list_joined: [
    "The secret is several secrets in one string, or has white space in it.",
    'Pass a list, such as process.env.SECRETS.split(",").',
  ],
  secret_of_other_key: [
    "The delivery is signed with the secret of another API key.",
    "Use the secret of the key that created the job. Test and live keys have different secrets.",
  ],
  body_missing: ["The body is missing.", passBytes],
  body_parsed: ["The body was parsed, so it is not the signed bytes.", passBytes],
  body_read_before: ["The body was already read.", passBytes],
  body_unreadable: ["The body ended early, or it is a stream of text.", passBytes],
  body_empty: [
    "The body is empty.",
    "Read the body once, await it, and verify before any parser reads it.",
  ],
  body_too_large: [
    "The body is larger than maxBodyBytes.",
    "Respond with 413. An event is much smaller than 10,000 bytes.",
  ],
  body_truncated: [
    "The body is incomplete.",
    "Read the body to its end, and check the size limits of proxies.",
  ],
  body_rewritten: ["The JSON of the body was parsed and serialized again.", passBytes],
  body_trimmed: [
    "White space, a line break or a byte order mark was added, removed or converted.",
    "Do not trim the body, and do not store it through a text editor or Git.",
  ],
  body_charset: [
    "The body was decoded or encoded with another charset than UTF-8.",
    "Do not convert the body to text before you verify it.",
  ],
  body_encoded: [
    "The body is base64, a form, percent-encoded, or JSON inside of JSON.",
    'Decode it first. AWS Lambda: if event.isBase64Encoded is true, pass Buffer.from(event.body, "base64"). Queues: carry the body as base64.',
  ],
  body_compressed: [
    "The body is compressed with gzip.",
    "Decompress it first. The signature is over the plain body.",
  ],
  headers_missing: ["The headers are missing.", passHeaders],
  signature_header_missing: ["The X-Service-Signature header is missing.", passHeaders],
  signature_header_other: [
    "There is the signature header of another service.",
    "Use a separate route for webhooks of each service.",
  ],
  signature_empty: ["X-Service-Signature has no value, or none that is text.", passValue],
  signature_padded: ["X-Service-Signature has white space or quotes around it.", passValue],
  signature_prefix: ["X-Service-Signature does not begin with sha256= in lower case.", writeValue],
  signature_base64: [
    "The digest in X-Service-Signature is base64.",
    'Use hexadecimal digits. Node: digest("hex").',
  ],
  signature_length: [
    "The digest in X-Service-Signature does not have 64 digits. Another hash than SHA-256 has another length.",
    'Pass the value as it arrived. If the signer is yours: createHmac("sha256", secret), digest("hex").',
  ],
  signature_not_hex: [
    "The digest in X-Service-Signature has characters other than hexadecimal digits.",
    passValue,
  ],
  signature_of_other_service: [
    "X-Service-Signature has the format of another service.",
    writeValue,
  ],
  signature_repeated: [
    "The same X-Service-Signature is there more than once.",
    "Check for a proxy that copies headers, and for code that joins two sources of headers.",
  ],
  signature_contradicted: [
    "There are several X-Service-Signature headers with different values.",
    "Check for a proxy that adds one. The service sends one, so the request may be forged.",
  ],
  json_invalid: ["The signature is valid, but the body is not JSON in UTF-8.", getJob],
  event_field: ["The signature is valid, but a field is missing or has a wrong value.", getJob],
  header_differs: [
    "X-Service-Event or X-Service-Job-Id differs from the signed body.",
    "Check for a proxy or middleware that changes headers.",
  ],
  time_too_old: [
    "The signed completed_at is older than maxAge, missing or not a time.",
    "Check the clock of this machine. If it is right, the delivery is a recorded one, or maxAge is too small. Otherwise get the job by its id.",
  ],
  nothing_fits: [
    "The signature does not fit the secret and the body, and no common mistake explains it.",
    "Check that the secret belongs to the key that created the job. Pass the secrets of your other keys as otherSecrets (--other-secret-file on the command line). Otherwise the request is forged.",
  ],
} satisfies Readonly<Record<string, readonly [message: string, fix: string]>>;

/**
 * Cause that {@link explain} reports, named after the part with the mistake. Names are stable; messages are not.
 *
 * @useDeclaredType
 */
export type Cause = keyof typeof causes;

/** Mistake in a delivery or in its verification. */
export interface Finding {
  /** Kind of the mistake, for programs. It does not change with the message. */
  readonly cause: Cause;
  /** If true, the cause is certain: without it, the signature fits. If false, it is only likely. */
  readonly proven: boolean;
  /** Mistake, and its place. */
  readonly message: string;
  /** Fix. */
  readonly fix: string;
}

/** Creates a finding. The details must not contain any part of the delivery. */
export function finding(cause: Cause, proven: boolean, ...details: readonly string[]): Finding {
  const [message, fix] = causes[cause];
  const detail = details.filter((part) => part !== "").join(", ");
  const where = detail === "" ? message : message.replace(/\.$/, ` (${detail}).`);
  return { cause, proven, message: where, fix };
}
