import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { newFile } from "../../test/files.ts";
import { checked, recordingPath, recordings } from "../../test/recordings/recordings.ts";
import { importRecording, type ImportOptions } from "./import-recording.ts";
import { readRecording } from "./read-recording.ts";

function fileOf(content: unknown): string {
  const isContent = typeof content === "string" || content instanceof Uint8Array;
  return newFile(isContent ? content : JSON.stringify(content));
}

function imported(content: unknown, options: ImportOptions = {}) {
  return importRecording(readRecording(fileOf(content)), options);
}

test.each(recordings.filter(({ isNightly }) => isNightly !== true))(
  "$file shows the options of the server that it was made with",
  (row) => {
    expect(checked(recordingPath(row.file), row)).toBe(row.file);
  },
);

const url = "https://tryon.example/api/v1/tryon";
const key = "svc_live_0123456789abcdefghijklmn";
const submission = '{"person_url":"https://shop.example/me.jpg","wait":true}';

const response = {
  status: 200,
  headers: [{ name: "Content-Type", value: "application/json" }],
  content: { size: 17, text: '{"job_id":"job_1"}' },
};

const entry = {
  startedDateTime: "2026-01-31T12:00:00.000Z",
  time: 40,
  timings: { wait: 30, receive: 10 },
  request: {
    method: "POST",
    url,
    headers: [
      { name: ":authority", value: "tryon.example" },
      { name: "Authorization", value: `Bearer ${key}` },
      { name: "Content-Type", value: "application/json" },
    ],
    postData: { text: submission },
  },
  response,
};

function har(...entries: readonly object[]) {
  return { log: { creator: { name: "Playwright" }, entries } };
}

/** Replaces a value at a path such as `request.url`. */
function withValue(path: string, value: unknown, target: unknown = entry): object {
  const [name = "", ...rest] = path.split(".");
  const known = Object(target) as Readonly<Record<string, unknown>>;
  return {
    ...known,
    [name]: rest.length > 0 ? withValue(rest.join("."), value, known[name]) : value,
  };
}

const call = {
  scope: "https://tryon.example:443",
  method: "GET",
  path: "/api/v1/account",
  body: "",
  status: 200,
  response: { credits_remaining: 4 },
  rawHeaders: ["Content-Type", "application/json"],
  responseIsBinary: false,
};

function pollyEntry(text: string): object {
  return withValue("response", {
    status: 404,
    headers: [{ name: "content-encoding", value: "gzip" }],
    content: { encoding: "base64", text },
  });
}

const execution = {
  request: {
    method: "GET",
    url: { protocol: "https", host: ["tryon", "example"], path: ["api", "v1", "account"] },
    header: [{ key: "Authorization", value: `Bearer ${key}` }],
  },
  response: { code: 200, header: [], stream: { type: "Buffer", data: [123, 125] } },
};

describe("an exchange of a HAR", () => {
  test("has the times, sizes and masked contents of its entry", () => {
    const { exchanges } = imported(har(entry));
    expect(exchanges).toMatchObject([
      {
        at: Date.parse("2026-01-31T12:00:00Z"),
        path: "/api/v1/tryon",
        key: expect.stringMatching(/^live-[0-9a-f]{12}$/),
        request: {
          headers: { "content-type": "application/json" },
          bytes: submission.length,
          body: { person_url: { kind: "url" }, wait: true },
        },
        response: {
          status: 200,
          headersAfter: 30,
          body: { job_id: expect.stringMatching(/^job_alias/) },
        },
        endedAfter: 40,
      },
    ]);
    expect(Object.keys(exchanges[0]?.request.headers ?? {})).toEqual(["content-type"]);
    expect(exchanges[0]).not.toHaveProperty("error");
  });

  test.each([
    [
      "response._failureText",
      { ...response, status: -1, _failureText: "net::ERR_ABORTED" },
      "net::ERR_ABORTED",
    ],
    ["response._error", { status: 0, _error: `sent ${key}` }, "no response"],
    ["no response", undefined, "no response"],
  ])("of an aborted POST has an error, from %s", (_, given, error) => {
    const { exchanges, unanswered } = imported(har(withValue("response", given)));
    expect(exchanges).toMatchObject([{ method: "POST", error }]);
    expect(exchanges[0]).not.toHaveProperty("response");
    expect(unanswered).toBe(1);
  });

  const sizeInHeader = { status: 200, headers: { "content-length": "9" } };
  const emptyText = { mimeType: "application/json", text: "" };

  test.each([
    ["its text is missing", withValue("response.content", { size: 17 }), "response"],
    ["its size is only in a header", withValue("response", sizeInHeader), "response"],
    [
      "the request has only a size",
      withValue("request.postData", undefined, withValue("request.bodySize", 9)),
      "request",
    ],
    ["the request has an empty text", withValue("request.postData", emptyText), "request"],
  ])("without a body says so if %s", (_, given, side) => {
    const { exchanges, withoutBody } = imported(har(given));
    const body = { kind: expect.stringMatching(/^(json|other)$/) };
    expect(withoutBody).toBe(1);
    expect(exchanges).toMatchObject([{ error: "body not recorded", [side]: { body } }]);
  });

  test("without a body is complete if there was none", () => {
    const request = { method: "GET", url, headers: [], bodySize: -1 };
    const head = { ...entry, request: { ...request, method: "HEAD" }, response: sizeInHeader };
    const { exchanges, withoutBody, hasKeys } = imported(har({ ...entry, request }, head));
    expect([withoutBody, hasKeys]).toEqual([0, false]);
    // Nothing says whether a key was sent.
    expect(exchanges.map((one) => one.key)).toEqual(["unknown", "unknown"]);
  });

  test("without durations only shows the order", () => {
    const { exchanges } = imported(har(withValue("timings", { wait: -1 })));
    expect(exchanges).toMatchObject([{ isUntimed: true, endedAfter: 0 }]);
  });
});

test("a recording without keys has another key for a refused one", () => {
  const refused = withValue("request.headers", [], withValue("response.status", 401));
  const { exchanges } = imported(har(refused, withValue("request.headers", [])));
  expect(exchanges.map((one) => one.key)).toEqual(["unknown-401", "unknown"]);
});

test("exchanges are in the order of their ends", () => {
  const slow = { ...entry, time: 900 };
  const later = withValue("startedDateTime", "2026-01-31T12:00:00.100Z");
  const { exchanges } = imported(har(slow, later));
  expect(exchanges.map(({ endedAfter }) => endedAfter)).toEqual([40, 900]);
});

describe("a recording with other requests", () => {
  const foreign = withValue("request.url", "https://shop.example/api/cart");

  test("keeps those to the service, and counts the others", () => {
    const { exchanges, origin, skipped } = imported(
      har(
        entry,
        foreign,
        { request: { method: "GET", url: "data:,/api/v1/tryon" } },
        withValue("response.status", 999, foreign),
        withValue("request.url", "https://tryon.example/app.js"),
        withValue("request.method", "OPTIONS"),
        { ...entry, _fromCache: "disk" },
        { ...entry, _wasFulfilled: true },
        withValue("response._fetchedViaServiceWorker", true),
      ),
    );
    expect([exchanges.length, origin]).toEqual([1, "https://tryon.example"]);
    expect(Object.fromEntries(skipped)).toEqual({
      "of other hosts": 3,
      "of other paths": 1,
      "with another method, such as OPTIONS": 1,
      "answered by a cache, a service worker or a test": 3,
    });
  });

  test("of two deployments needs --base-url, which takes the path of a gateway", () => {
    const behind = withValue("request.url", "https://gateway.example/try-on/api/v1/account");
    expect(() => imported(har(entry, behind))).toThrow(
      "2 deployments of the service (https://tryon.example, https://gateway.example). Choose one with --base-url.",
    );
    const { exchanges } = imported(har(entry, behind), {
      baseUrl: "https://gateway.example/try-on/",
    });
    expect(exchanges.map(({ path }) => path)).toEqual(["/api/v1/account"]);
  });

  test("alone is an error", () => {
    expect(() => imported(har(foreign))).toThrow("has no request to /api/v1/tryon");
    expect(() => imported(har(entry), { baseUrl: "https://other.example" })).toThrow(
      "no request below --base-url",
    );
  });
});

describe("bodies", () => {
  const body = Buffer.from('{"detail":"Not Found"}');
  const detail = { detail: { kind: "text", characters: 9 } };
  const compressed = (headers: object, parts: readonly Buffer[]) => ({
    ...call,
    rawHeaders: headers,
    response: parts.map((part) => part.toString("hex")),
  });
  const gzip = gzipSync(body);

  test.each([
    [
      "gzip in parts",
      compressed({ "Content-Encoding": "gzip" }, [gzip.subarray(0, 9), gzip.subarray(9)]),
    ],
    ["br", compressed({ "content-encoding": ["br"] }, [brotliCompressSync(body)])],
    ["hex", { ...call, response: body.toString("hex"), responseIsBinary: true }],
    ["a text", { ...call, response: body.toString() }],
  ])("of nock are read from %s", (_, given) => {
    expect(imported([given]).exchanges[0]?.response?.body).toEqual(detail);
  });

  test("of Polly are read from gzip in base64, in one text or in parts", () => {
    const parts = [gzip.subarray(0, 9), gzip.subarray(9)].map((part) => part.toString("base64"));
    const log = {
      creator: { name: "Polly.JS" },
      entries: [pollyEntry(gzip.toString("base64")), pollyEntry(JSON.stringify(parts))],
    };
    const { exchanges } = imported({ log });
    expect(exchanges.map((one) => one.response?.body)).toEqual([detail, detail]);
  });

  test("that are larger than 64 MiB after decompression are an error", () => {
    const bomb = gzipSync(Buffer.alloc(65 * 2 ** 20));
    expect(() => imported([compressed({ "content-encoding": "gzip" }, [bomb])])).toThrow(
      /^calls\[0\]\.response cannot be decompressed, or is larger than 64 MiB after decompression\. /,
    );
  });

  test.each(["../secret", "/etc/hostname", "..", ".env", "link", "none.json", "folder"])(
    "are not read from %s",
    (name) => {
      const file = fileOf(har(withValue("response.content", { size: 9, ["_file"]: name })));
      if (name === "link") symlinkSync("/etc/hostname", join(dirname(file), name));
      if (name === "folder") mkdirSync(join(dirname(file), name));
      expect(() => importRecording(readRecording(file), {})).toThrow(
        /^log\.entries\[0\]\.response\.content\._file (must be the name of|names) a file /,
      );
    },
  );
});

function errorOf(given: unknown): string {
  const error = (() => {
    try {
      return void imported(given);
    } catch (caught) {
      return caught;
    }
  })();
  expect(error).toHaveProperty("name", "UsageError");
  expect(String(error)).not.toContain("whsec_");
  return String(error);
}

const newman = (path: string, value: unknown) => ({
  run: { executions: [withValue(path, value, execution)] },
});

describe("an error names the field and never the value:", () => {
  const secret = "whsec_abc def";

  const base64 = { encoding: "base64", text: secret };
  test.each([
    ["request.url", secret, " must be a URL"],
    ["request.url", 7, " must be a text"],
    ["request.method", null, " must be a text"],
    ["startedDateTime", secret, " must be a time"],
    ["response.status", secret, " must be a status"],
    ["time", secret, " must be a number"],
    ["request.headers", secret, " must be a list"],
    ["request.headers", [{ value: secret }], "[0].name must be a text"],
    ["response.content", base64, ".text must be in base64"],
  ])("log.entries[1].%s %j%s", (path, value, problem) => {
    const error = errorOf(har(entry, withValue(path, value)));
    expect(error).toContain(`log.entries[1].${path}${problem}`);
  });

  test.each<readonly [string, unknown]>([
    ["calls[0].path must begin with a slash", [{ ...call, path: secret }]],
    ["calls[0].scope must be a URL", [{ ...call, scope: secret }]],
    ["calls[0].response must be in hex", [{ ...call, responseIsBinary: true, response: secret }]],
    [
      "calls[0].response has a Content-Encoding other than",
      [{ ...call, rawHeaders: { "content-encoding": secret }, response: [] }],
    ],
    ["[0].request.url must have a protocol", newman("request.url", { host: secret })],
    ["stream.data must be a list of bytes", newman("response.stream.data", [secret])],
    ["is not complete JSON", `[{"scope":"${secret}"`],
    ["has an unknown format. Give HAR", { secret }],
    ["is a session already", '{"format":1,"at":1}\n{}'],
  ])("%s", (message, given) => expect(errorOf(given)).toContain(message));

  test("a damaged zip, or one without a HAR", () => {
    expect(() => imported(Buffer.from("PK\u0003\u0004 and nothing else"))).toThrow(
      "the archive is damaged",
    );
    const empty = Buffer.from(`PK\u0003\u0004${"\0".repeat(26)}PK\u0005\u0006${"\0".repeat(18)}`);
    expect(() => imported(empty)).toThrow("must contain one file that ends in .har");
  });

  test("a file over 256 MiB", () => {
    const file = fileOf("");
    truncateSync(file, 257 * 2 ** 20);
    expect(() => readRecording(file)).toThrow("is larger than 256 MiB");
  });
});

test("newman's URLs and bodies are read in each form", () => {
  const request = { ...execution.request, url: "https://tryon.example/api/v1/account" };
  const query = [
    { key: "limit", value: "2" },
    { key: "cursor", value: "x", disabled: true },
  ];
  const list = {
    protocol: "https",
    host: "tryon.example",
    port: "443",
    path: "api/v1/tryon",
    query,
  };
  const form = { mode: "formdata", formdata: [] };
  const { exchanges, withoutBody } = imported({
    run: {
      timings: { started: 1_000 },
      executions: [
        { ...execution, request },
        { ...execution, request: { ...request, url: list } },
        { ...execution, request: { ...request, method: "POST", body: form } },
        withValue("response.stream", undefined, withValue("response.responseSize", 9, execution)),
      ],
    },
  });
  expect(exchanges.map(({ at, path }) => [at, path])).toEqual([
    [1_000, "/api/v1/account"],
    [1_001, "/api/v1/tryon?limit=2"],
    [1_002, "/api/v1/account"],
    [1_003, "/api/v1/account"],
  ]);
  expect(withoutBody).toBe(2);
});
