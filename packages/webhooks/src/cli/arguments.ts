import { tamperings, type Tampering } from "./tamper.ts";
import { numberOf, oneOf, readFlags, textOf, UsageError } from "./flags.ts";
import { nearest } from "./nearest.ts";

const verbs = ["verify", "explain", "sign", "send"] as const;
export type Verb = (typeof verbs)[number];

/** Where the secrets come from: the flags, or the environment where none is given. */
export interface SecretFlags {
  readonly secrets: readonly string[];
  readonly secretFiles: readonly string[];
}

/** A delivery that is in files, or on standard input where one is called `-`. */
export interface CheckCommand extends SecretFlags {
  readonly kind: "verify" | "explain";
  readonly body: string | undefined;
  readonly headers: readonly string[];
  readonly headersFile: string | undefined;
  readonly request: string | undefined;
  readonly otherSecretFiles: readonly string[];
  readonly json: boolean;
}

export interface SignCommand extends SecretFlags {
  readonly kind: "sign";
  readonly body: string;
  readonly json: boolean;
}

export interface SendCommand extends SecretFlags {
  readonly kind: "send";
  readonly to: URL;
  readonly event: string | undefined;
  readonly status: "succeeded" | "failed" | undefined;
  readonly jobId: string | undefined;
  readonly body: string | undefined;
  readonly repeat: number;
  readonly breakage: Tampering | undefined;
  /** How long one answer may take, in milliseconds. */
  readonly timeout: number;
  readonly json: boolean;
}

export type Command =
  | CheckCommand
  | SignCommand
  | SendCommand
  | { readonly kind: "help"; readonly verb: Verb | undefined }
  | { readonly kind: "version" };

/** The time that the service gives a receiver, in milliseconds. */
export const serviceTimeout = 10_000;
const longestTimeout = 600_000;
const mostRepeats = 1_000;

const text = { type: "string" } as const;
const texts = { type: "string", multiple: true } as const;
const yes = { type: "boolean" } as const;
const common = {
  secret: texts,
  "secret-file": texts,
  json: yes,
  help: { type: "boolean", short: "h" },
} as const;

/** @throws UsageError */
export function readArguments([first = "", ...rest]: readonly string[]): Command {
  switch (first) {
    case "":
    case "-h":
    case "--help":
      return { kind: "help", verb: undefined };
    case "help":
      return { kind: "help", verb: rest[0] === undefined ? undefined : verbOf(rest[0]) };
    case "--version":
      return { kind: "version" };
    default:
      break;
  }
  const verb = verbOf(first);
  if (verb === "sign") return readSign(rest);
  return verb === "send" ? readSend(rest) : readCheck(verb, rest);
}

function readCheck(kind: "verify" | "explain", argv: readonly string[]): Command {
  const values = readFlags(argv, {
    ...common,
    body: text,
    header: texts,
    headers: text,
    request: text,
    "other-secret-file": texts,
  });
  if (values.help === true) return { kind: "help", verb: kind };
  const { header = [], "other-secret-file": otherSecretFiles = [] } = values;
  const [body, headersFile, request] = (["body", "headers", "request"] as const).map((flag) =>
    textOf(flag, values[flag]),
  );
  if ((body === undefined) === (request === undefined)) {
    throw new UsageError(
      `${kind} needs either --body with --header or --headers, or --request with all of a request.`,
    );
  }
  if (request !== undefined && (header.length > 0 || headersFile !== undefined)) {
    throw new UsageError("--request brings its headers along; leave --header and --headers out.");
  }
  if (kind === "verify" && otherSecretFiles.length > 0) {
    throw new UsageError("--other-secret-file belongs to explain; verify takes --secret-file.");
  }
  const json = values.json === true;
  const secrets = secretFlags(values);
  return { kind, body, headers: header, headersFile, request, otherSecretFiles, json, ...secrets };
}

function readSign(argv: readonly string[]): Command {
  const values = readFlags(argv, { ...common, body: text });
  if (values.help === true) return { kind: "help", verb: "sign" };
  const body = textOf("body", values.body);
  if (body === undefined) throw new UsageError("sign needs --body with a file, or - for stdin.");
  return { kind: "sign", body, json: values.json === true, ...secretFlags(values) };
}

function readSend(argv: readonly string[]): Command {
  const values = readFlags(argv, {
    ...common,
    to: text,
    event: text,
    status: text,
    "job-id": text,
    body: text,
    repeat: text,
    break: text,
    timeout: text,
    "allow-http": yes,
  });
  if (values.help === true) return { kind: "help", verb: "send" };
  const body = textOf("body", values.body);
  const own = [values.event, values.status, values["job-id"]].some((value) => value !== undefined);
  if (body !== undefined && own) {
    throw new UsageError("--body is all of the event; leave --event, --status and --job-id out.");
  }
  return {
    kind: "send",
    to: receiverOf(values.to, values["allow-http"] === true),
    event: textOf("event", values.event),
    status: oneOf("status", values.status, ["succeeded", "failed"] as const),
    jobId: textOf("job-id", values["job-id"]),
    body,
    repeat: numberOf("repeat", values.repeat, [1, mostRepeats]) ?? 1,
    breakage: oneOf("break", values.break, tamperings),
    timeout: numberOf("timeout", values.timeout, [1, longestTimeout]) ?? serviceTimeout,
    json: values.json === true,
    ...secretFlags(values),
  };
}

function secretFlags(values: { secret?: string[]; "secret-file"?: string[] }): SecretFlags {
  return { secrets: values.secret ?? [], secretFiles: values["secret-file"] ?? [] };
}

function receiverOf(address: string | undefined, allowHttp: boolean): URL {
  if (address === undefined) throw new UsageError("send needs --to with the receiver's address.");
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("--to has to be an address such as http://localhost:3000/hook.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("--to carries a user name or password, which no webhook address takes.");
  }
  const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "https:" || loopback || allowHttp) return url;
  throw new UsageError(
    "--to is on another machine and not https, so anybody on the way could read and repeat the event; use https, or --allow-http if that is meant.",
  );
}

function verbOf(word: string): Verb {
  const verb = verbs.find((candidate) => candidate === word);
  if (verb !== undefined) return verb;
  const meant = nearest(word, verbs);
  const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`There is no such command; there are ${verbs.join(", ")}.${advice}`);
}
