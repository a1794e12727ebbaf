import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { linesOf, newFile } from "../../test/files.ts";
import { otherServer } from "../../test/served.ts";
import { aCheck, aSuite } from "../../test/suite.ts";
import { runSuite } from "../contract.ts";
import { readSessions, type Recorded } from "../observe/session-file.ts";
import { replay } from "../replay/replay.ts";
import { urlBelow } from "./base-url.ts";
import { createSend } from "./send.ts";

const key = "svc_test_abcdefgh";

/** Paths that a URL parser, or a server behind it, takes for another host or another folder. */
const leaving = [
  "//evil.example/x",
  "/\\evil.example/x",
  "/\t/evil.example/x",
  "/%2fevil.example",
  "/%5cevil.example",
  "/%252fevil.example",
  "/../admin",
  "/..",
  "/%2e%2e/admin",
  "/.%2E/admin",
  "/..%2fadmin",
  "/../basement/x",
  "/a%2fb/../../x",
  "/a%252fb%2f..%2f..%2fx",
  "/..%5cadmin",
  "/%252e%252e/admin",
  "/api/%2e%2e%2f..%2fadmin",
  "/api/../../admin?limit=1",
  "/api\r\nx: y",
  "/%0d%0ax",
  "http://evil.example/x",
  "https:evil.example",
  ".evil.example/x",
  "@evil.example/x",
  ":8080/x",
  "",
];

describe("a path", () => {
  test.each([
    ["https://tryon.example", "/api/v1/account", "https://tryon.example/api/v1/account"],
    ["https://tryon.example/", "/", "https://tryon.example/"],
    [
      "https://tryon.example/base//",
      "/any/p%20th?a=%2F..",
      "https://tryon.example/base/any/p%20th?a=%2F..",
    ],
    ["http://[::1]:4010/base", "/a/../b/%C3%A9", "http://[::1]:4010/base/b/%C3%A9"],
    [
      "https://tryon.example",
      "/a?next=//evil.example",
      "https://tryon.example/a?next=//evil.example",
    ],
  ])("is joined with %s: %s", (baseUrl, path, url) => {
    expect(urlBelow(baseUrl, path)?.href).toBe(url);
  });

  test.each(leaving)("that leaves the base URL is refused: %j", (path) => {
    for (const baseUrl of ["https://tryon.example/base", "https://tryon.example/base/"]) {
      expect(urlBelow(baseUrl, path)).toBeUndefined();
    }
  });
});

async function sessionOf(...paths: readonly string[]): Promise<readonly Recorded[]> {
  const request = { headers: {}, bytes: 0 };
  const response = { status: 200, headersAfter: 1, headers: {}, bytes: 0 };
  const rest = { format: 1, at: 1, method: "GET", key: "test-aaaaaaaaaaaa", endedAfter: 2 };
  const lines = linesOf(paths.map((path) => ({ ...rest, path, request, response })));
  const read: Recorded[] = [];
  for await (const one of readSessions([newFile(lines, "s.ndjson")])) read.push(one);
  return read;
}

const keys = {
  test: { token: key, kind: "test" as const, webhookSecret: undefined, accountId: undefined },
};

function watched(seen: (string | undefined)[]) {
  return otherServer(({ url, headers }, response) => {
    seen.push(url, headers.authorization);
    response.writeHead(url === "/base/api/v1/account" ? 200 : 404, {
      "content-type": "application/json",
    });
    response.end('{"credits_remaining":1,"tryon_cost_credits":{}}');
  });
}

describe("a session", () => {
  test.each([
    "http://evil.example/api/v1/account",
    "//evil.example/api/v1/account",
    "/\\evil.example/api/v1/account",
    ".evil.example/api/v1/account",
    "@evil.example/",
    ":80/",
    "/api\n/v1",
    "",
  ])("with the path %j is refused as a whole, with its line", async (path) => {
    await expect(sessionOf("/api/v1/account", path, "/")).rejects.toThrow(
      "s.ndjson:2 has an invalid path: it must begin with one slash and have no control characters.",
    );
  });

  test("is replayed below the base URL only", async () => {
    const seen: string[] = [];
    const against = `${await watched(seen)}/base`;
    const session = await sessionOf("/api/v1/account", "/../admin", "/%2e%2e/admin", "/..%2fadmin");
    const { compared, notCompared } = await replay(session, { against, paid: false, keys });
    expect([compared, notCompared]).toEqual([
      1,
      [{ reason: "A path leaves the base URL", count: 3 }],
    ]);
    const account = ["/base/api/v1/account", `Bearer ${key}`];
    expect(seen).toEqual(["/base/__mock/options", undefined, ...account, ...account]);
  });
});

test("a key is not sent to a whole URL, which a response can name", async () => {
  const seen: string[] = [];
  const other = await watched(seen);
  const send = createSend(await watched(seen));
  for (const name of ["authorization", "Authorization"]) {
    const headers = { [name]: `Bearer ${key}` };
    await expect(send({ method: "GET", path: `${other}/x`, headers })).rejects.toThrow(
      `GET ${other}/x failed: a key is only sent below the base URL.`,
    );
  }
  expect(seen).toEqual([]);
});

test("the id of a job cannot lead a check out of the base URL", async () => {
  const mock = createMock({ clock: "manual" });
  const paths: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(new Request(input, init).url);
    paths.push(pathname);
    return mock.fetch(new Request(input, init).url.replace("/base", ""), init);
  };
  const poll = aCheck("sample.poll", async ({ http }) => {
    await http.poll("../../../../admin");
  });
  const baseUrl = `${mock.baseUrl}/base`;
  const { checks } = await runSuite(aSuite([poll]), { baseUrl, fetch, apiKey: mock.keys.test });
  const { message } = checks.find(({ id }) => id === "sample.poll") ?? {};
  expect(message).toContain("/admin failed: the path leaves the base URL.");
  expect(paths.filter((path) => !path.startsWith("/base/"))).toEqual([]);
});
