import { describe, expect, onTestFinished, test, vi } from "vitest";

import { caller, tryOn } from "../../test/caller.ts";
import { served } from "../../test/served.ts";
import type { Mock } from "../mock.ts";

async function setUp(wrap?: (fetch: Mock["fetch"]) => Mock["fetch"]) {
  const { open: openRaw, ...calls } = await served({}, wrap);
  const open = (line: string, headerLines: readonly string[], body = "") =>
    openRaw([`${line} HTTP/1.1`, ...headerLines, "", body].join("\r\n"));
  return { ...calls, open };
}

const authorization = "Authorization: Bearer svc_live_mock";
const host = "Host: 127.0.0.1";
const submission = JSON.stringify(tryOn());
const bodyHeaders = ["Content-Type: application/json", `Content-Length: ${submission.length}`];

describe("a served mock", () => {
  test("creates no web request and no web response", async () => {
    const { mock, open } = await setUp();
    const unused = vi.fn<() => void>();
    for (const name of ["Request", "Response", "Headers"]) vi.stubGlobal(name, unused);
    onTestFinished(() => void vi.unstubAllGlobals());
    const sent = open("POST /api/v1/tryon", [host, authorization, ...bodyHeaders], submission);
    await sent.until('"job_id"');
    const read = open("GET /api/v1/account", [host, authorization]);
    await read.until("credits_remaining");
    expect(read.received()).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: application\/json\r\n/);
    expect(unused).not.toHaveBeenCalled();
    expect(mock.journal.entries().map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each([
    ["GET /x/../api/v1/account", [host, authorization], 200],
    ["GET /api/v1/%61ccount?a=b", [host, authorization], 200],
    ["GET http://localhost/api/v1/account", [host, authorization], 200],
    ["HEAD /api/v1/account", [host, authorization], 200],
    ["TRACE /api/v1/account", [host, authorization], 405],
    ["GET /api/v1/account", [host, authorization, authorization], 401],
    ["GET \\api\\v1\\account", [host, authorization], 400],
    ["GET /api\\v1/account", [host, authorization], 400],
    ["OPTIONS *", [host], 400],
    ["GET /api/v1/account", ["Host: a@b", authorization], 400],
    ["GET /api/v1/account", ["Host: shop.example/x", authorization], 400],
    ["GET /api/v1/account", ["Host: [::1]:4010", authorization], 200],
  ])("responds to %s with %j with %i", async (line, lines, status) => {
    const { open } = await setUp();
    const text = await open(line, [...lines, "Connection: close"]).closed;
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text.endsWith("\r\n\r\n")).toBe(line.startsWith("HEAD"));
  });

  test("reads a whole body whose client has disconnected during a delay", async () => {
    const { mock, open } = await setUp();
    mock.faults.add({ on: "POST *", latency: "2s" });
    const sent = open("POST /api/v1/tryon", [host, authorization, ...bodyHeaders], submission);
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    sent.socket.destroy();
    await sent.closed;
    await mock.clock.advance("2s");
    await mock.journal.waitFor("POST /api/v1/tryon");
    expect((await caller(mock).list()).body.jobs).toHaveLength(1);
  });

  test("creates no job for a body that breaks off", async () => {
    const { mock, open } = await setUp();
    const part = submission.slice(0, 20);
    const sent = open("POST /api/v1/tryon", [host, authorization, ...bodyHeaders], part);
    await mock.journal.waitFor("POST /api/v1/tryon", { until: "arrived" });
    sent.socket.destroy();
    const [entry] = await mock.journal.waitFor("POST /api/v1/tryon");
    expect(entry).toMatchObject({ status: null, jobId: null });
  });
});

describe("a function that wraps the fetch of a mock", () => {
  test("gets web requests, and may change web responses", async () => {
    const { submit, get } = await setUp((fetch) => async (resource, init) => {
      const request = new Request(resource, init);
      const response = await fetch(request);
      response.headers.set("x-wrapped", request.method);
      return request.url.endsWith("/stream")
        ? new Response(new Blob(["a", "b"]).stream(), { status: 201 })
        : response;
    });
    const submitted = await submit();
    expect([submitted.status, submitted.headers.get("x-wrapped")]).toEqual([200, "POST"]);
    expect(await submitted.json()).toMatchObject({ status: "running" });
    const streamed = await get("/stream");
    expect([streamed.status, await streamed.text()]).toEqual([201, "ab"]);
  });

  test("has a signal that is aborted when the client disconnects", async () => {
    const aborted = Promise.withResolvers<void>();
    const { mock, open } = await setUp((fetch) => async (resource, init) => {
      const request = new Request(resource, init);
      request.signal.addEventListener("abort", () => aborted.resolve());
      return fetch(request);
    });
    mock.faults.add({ on: "GET *", latency: "2s" });
    const sent = open("GET /api/v1/account", [host, authorization]);
    await mock.journal.waitFor("GET /api/v1/account", { until: "arrived" });
    sent.socket.destroy();
    await expect(aborted.promise).resolves.toBeUndefined();
  });
});
