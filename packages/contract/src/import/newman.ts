import {
  errorCodeOf,
  headerOf,
  statusOf,
  type Field,
  type Imported,
  type ImportedMessage,
  type Recording,
} from "./imported.ts";

/** Reads what the JSON reporter of newman writes. */
export function readNewman(run: Field): Recording {
  let next = run.get("timings").get("started").size() ?? 0;
  const exchanges = run
    .get("executions")
    .list()
    .map((execution): Imported => {
      const [request, response] = [execution.get("request"), execution.get("response")];
      const at = next;
      const duration = response.get("responseTime").size() ?? 0;
      // Requests follow each other, and delays are not recorded.
      next += duration + 1;
      return {
        method: request.get("method").text(),
        url: urlOf(request.get("url")),
        read: () => {
          const status = statusOf(response.get("code"));
          return {
            request: requestOf(request),
            ...(status === undefined
              ? { error: errorCodeOf(execution.get("requestError").get("code")) }
              : { response: { status, ...responseOf(response) } }),
            at,
            durations: { headersAfter: duration, endedAfter: duration },
            isOrderOnly: true,
          };
        },
      };
    });
  return { format: "newman report", exchanges };
}

/** The collection can have a URL as a text, or in parts. */
function urlOf(url: Field): URL {
  if (typeof url.value === "string") return url.url();
  const joined = (name: string, by: string): string => {
    const part = url.get(name);
    const texts = Array.isArray(part.value) ? part.list() : [part];
    return texts.map((one) => one.optionalText()).join(by);
  };
  const query = url
    .get("query")
    .list()
    .filter((one) => one.get("disabled").value !== true);
  const search = query
    .map((one) => `${one.get("key").text()}=${one.get("value").optionalText()}`)
    .join("&");
  const [protocol, port] = ["protocol", "port"].map((name) => url.get(name).optionalText());
  const host = `${joined("host", ".")}${port && `:${port}`}`;
  const text = `${protocol}://${host}/${joined("path", "/")}${search && `?${search}`}`;
  return /^https?:/.test(text) && URL.canParse(text)
    ? new URL(text)
    : url.fail("must have a protocol, a host and a path");
}

function requestOf(request: Field): ImportedMessage {
  const headers = request.get("header").headers();
  const given = request.get("body");
  const raw = given.get("raw");
  const length = Number(headerOf(headers, "content-length") ?? 0) || 0;
  // Forms and files are not in the report.
  const isMissing = given.value !== undefined || length > 0;
  const body = () => (isMissing ? { missing: length } : new Uint8Array());
  const text = raw.value === undefined ? undefined : Buffer.from(raw.text());
  return { headers, body: text === undefined ? body : () => text };
}

function responseOf(response: Field): ImportedMessage {
  const stream = response.get("stream");
  return {
    headers: response.get("header").headers(),
    body: () => {
      const data = stream.get("data");
      if (Array.isArray(data.value)) {
        if (!data.value.every(isByte)) data.fail("must be a list of bytes");
        return Uint8Array.from(data.value);
      }
      const size = response.get("responseSize").size() ?? 0;
      return size > 0 ? { missing: size } : new Uint8Array();
    },
  };
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;
}
