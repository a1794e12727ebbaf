import { parseJson } from "../wire/send.ts";
import { decodeBody, fromBase64 } from "./decode-body.ts";
import {
  errorCodeOf,
  Field,
  headerOf,
  statusOf,
  type HeaderPairs,
  type Imported,
  type ImportedContent,
  type ImportedMessage,
  type Recording,
} from "./imported.ts";

/** Reads a body that a recording has in a separate file. */
export type ReadSideFile = (field: Field) => Uint8Array;

interface Tool {
  readonly format: string;
  readonly skipsUnanswered?: string;
  /** If true, a body in base64 has the bytes of the connection, which can be compressed. */
  readonly isRaw?: boolean;
}

/** Tools by their name in `log.creator`. Another one could have any name. */
const tools: readonly (readonly [name: RegExp, tool: Tool])[] = [
  [/^Playwright/, { format: "HAR of Playwright" }],
  [/^WebInspector/, { format: "HAR of DevTools" }],
  [/^Firefox/, { format: "HAR of Firefox" }],
  [/^mitmproxy/, { format: "HAR of mitmproxy", skipsUnanswered: "mitmproxy, in some versions," }],
  [/^Polly/, { format: "Polly recording", skipsUnanswered: "Polly", isRaw: true }],
];

/** Reads HAR 1.2, and recordings of Polly, which have its form. */
export function readHar(log: Field, readSideFile: ReadSideFile): Recording {
  const creator = log.get("creator").get("name").optionalText();
  const tool = tools.find(([name]) => name.test(creator))?.[1] ?? { format: "HAR" };
  const exchanges = log
    .get("entries")
    .list()
    .map((entry): Imported => {
      const [request, response] = [entry.get("request"), entry.get("response")];
      return {
        method: request.get("method").text(),
        url: request.get("url").url(),
        isLocal:
          entry.get("_fromCache").optionalText() !== "" ||
          entry.get("_wasFulfilled").value === true ||
          response.get("_fetchedViaServiceWorker").value === true,
        read: () => readEntry(entry, tool, readSideFile),
      };
    });
  return { ...tool, exchanges };
}

function readEntry(entry: Field, tool: Tool, readSideFile: ReadSideFile): ImportedContent {
  const [request, response] = [entry.get("request"), entry.get("response")];
  const status = statusOf(response.get("status"));
  const failure = ["_failureText", "_error"]
    .map((name) => response.get(name))
    .find((field) => field.optionalText() !== "");
  const isFailed = failure !== undefined || status === undefined;
  const time = entry.get("startedDateTime");
  const at = Date.parse(time.text());
  if (Number.isNaN(at)) time.fail("must be a time such as 2026-01-31T12:00:00.000Z");
  return {
    request: {
      headers: request.get("headers").headers(),
      body: () => requestBody(request, readSideFile),
    },
    ...(status !== undefined && {
      response: {
        status,
        ...responseOf(response, request.get("method").text(), tool, readSideFile),
      },
    }),
    ...(isFailed && { error: errorCodeOf(failure) }),
    at,
    durations: durationsOf(entry),
  };
}

function requestBody(request: Field, readSideFile: ReadSideFile) {
  const data = request.get("postData");
  const [file, text] = [data.get("_file"), data.get("text")];
  if (file.value !== undefined) return readSideFile(file);
  if (typeof text.value === "string" && text.value !== "") {
    return data.get("encoding").value === "base64" ? fromBase64(text) : Buffer.from(text.value);
  }
  const method = request.get("method").value;
  const size = request.get("bodySize").size() ?? lengthIn(request.get("headers").headers());
  const isUnknown = size === undefined && data.value !== undefined && method !== "GET";
  return isUnknown || (size ?? 0) > 0 ? { missing: size ?? 0 } : new Uint8Array();
}

function responseOf(
  response: Field,
  method: string,
  { isRaw = false }: Tool,
  readSideFile: ReadSideFile,
): ImportedMessage {
  const headers = response.get("headers").headers();
  const content = response.get("content");
  const [file, text] = [content.get("_file"), content.get("text")];
  const body: ImportedMessage["body"] = () => {
    if (file.value !== undefined) return readSideFile(file);
    if (typeof text.value === "string" && text.value !== "") {
      if (content.get("encoding").value !== "base64") return Buffer.from(text.value);
      return isRaw ? rawBody(text, headerOf(headers, "content-encoding")) : fromBase64(text);
    }
    const sizes = [content.get("size").size(), response.get("bodySize").size(), lengthIn(headers)];
    const size = method === "HEAD" ? 0 : Math.max(0, ...sizes.map((one) => one ?? 0));
    return size > 0 ? { missing: size } : new Uint8Array();
  };
  return { headers, body };
}

/** Polly has a compressed body as the JSON of a list of its parts. */
function rawBody(text: Field, encoding: string | undefined): Uint8Array {
  const parts = text.text().startsWith("[") ? parseJson(text.text()) : undefined;
  const bytes =
    parts === undefined
      ? fromBase64(text)
      : Buffer.concat(new Field(parts, text.path).list().map(fromBase64));
  return decodeBody(bytes, encoding, text);
}

function lengthIn(headers: HeaderPairs): number | undefined {
  const length = headerOf(headers, "content-length") ?? "";
  return /^\d{1,12}$/.test(length) ? Number(length) : undefined;
}

function durationsOf(entry: Field): ImportedContent["durations"] {
  const timings = entry.get("timings");
  const [total, wait] = [entry.get("time").size(), timings.get("wait").size()];
  if (total === undefined || wait === undefined) return undefined;
  const receiving = timings.get("receive").size() ?? 0;
  return { headersAfter: Math.max(0, total - receiving), endedAfter: total };
}
