import { gzipSync } from "node:zlib";

import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract, runSuite } from "../contract.ts";
import { command } from "../../test/command.ts";
import { otherServer } from "../../test/served.ts";
import { aCheck, aSuite } from "../../test/suite.ts";
import { createSend } from "./send.ts";

const mebibyte = 2 ** 20;
const images = ["result.png"];

async function failures(report: ReturnType<typeof runSuite>): Promise<readonly string[]> {
  const { checks } = await report;
  return checks
    .filter(({ status }) => status === "failed")
    .map(({ id, message }) => `${id}: ${message}`);
}

/** A deployment in this process whose results are at another URL. */
function resultsAt(resultUrl: string, baseUrl?: string) {
  const mock = createMock({ clock: "manual", ...(baseUrl !== undefined && { baseUrl }) });
  const requested: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url } = new Request(input, init);
    requested.push(url);
    if (url === resultUrl) return new Response("secret");
    const response = await mock.fetch(input, init);
    if (!url.includes("/tryon/job_")) return response;
    const job = (await response.json()) as Record<string, unknown>;
    return Response.json(job["result_url"] ? { ...job, result_url: resultUrl } : job);
  };
  return { requested, run: () => runContract({ baseUrl: mock.baseUrl, fetch, only: images }) };
}

/** A server on this machine that has two names, which resolve to the given IPs. */
async function named(own: readonly string[], other: readonly string[]) {
  const paths: string[] = [];
  const url = await otherServer(({ headers, url: path = "" }, response) => {
    paths.push(path);
    if (path === "/moved") response.writeHead(302, { location: `${url}/hidden` }).end();
    else response.writeHead(200, { "x-host": headers.host }).end("served");
  });
  const { port } = new URL(url);
  const resolve = async (host: string) => (host === "tryon.test" ? own : other);
  const send = createSend(`http://tryon.test:${port}`, undefined, resolve);
  const get = (path: string) => send({ method: "GET", path: `http://results.test:${port}${path}` });
  return { get, paths };
}

describe("the size of a response", () => {
  test("is limited while it is read", async () => {
    const mock = createMock({ clock: "manual" });
    const chunk = new Uint8Array(mebibyte);
    let pulled = 0;
    let canceled = false;
    const endless = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => {
          pulled += 1;
          // Reading on would never end.
          if (pulled === 200) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => {
          canceled = true;
        },
      });
    const fetch: typeof globalThis.fetch = async (input, init) =>
      new Request(input, init).url.endsWith("/api/docs")
        ? new Response(endless())
        : mock.fetch(input, init);
    const large = aCheck("sample.large", async ({ http }) => {
      await http.request("GET", "/api/docs");
    });
    const report = runSuite(aSuite([large]), { baseUrl: mock.baseUrl, fetch });
    expect(await failures(report)).toEqual([
      `sample.large: GET ${mock.baseUrl}/api/docs failed: the response is larger than 64 MiB.`,
    ]);
    expect(pulled).toBeLessThanOrEqual(66);
    expect(canceled).toBe(true);
  });

  test("counts after decompression", async () => {
    // gzip allows several members one after another.
    const member = gzipSync(new Uint8Array(mebibyte));
    const url = await otherServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(Buffer.concat(Array.from({ length: 65 }, () => member)));
    });
    const { code, stderr } = await command(["--base-url", url, "--api-key=svc_test_mock"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`${url} cannot be reached: the response is larger than 64 MiB.`);
  });
});

describe("a result_url", () => {
  test.each([
    ["http://127.0.0.1:9/a.png", "loopback IP 127.0.0.1"],
    ["http://2130706433/a.png", "loopback IP 127.0.0.1"],
    ["http://localhost:9/a.png", "loopback IP 127.0.0.1"],
    ["http://[::1]/a.png", "loopback IP ::1"],
    ["http://[::ffff:127.0.0.1]/a.png", "loopback IP ::ffff:7f00:1"],
    ["http://169.254.169.254/latest", "link-local IP 169.254.169.254"],
    ["http://[fe80::1]/a.png", "link-local IP fe80::1"],
    ["https://10.0.0.1/a.png", "private IP 10.0.0.1"],
    ["https://192.168.1.1/a.png", "private IP 192.168.1.1"],
    ["https://[fd00:ec2::254]/a.png", "private IP fd00:ec2::254"],
    ["http://0.0.0.0/a.png", "reserved IP 0.0.0.0"],
    ["https://[64:ff9b::a00:1]/a.png", "reserved IP 64:ff9b::a00:1"],
  ])("may not be %s for a public deployment", async (resultUrl, words) => {
    const { requested, run } = resultsAt(resultUrl);
    expect(await failures(run())).toEqual([
      `result.png: GET ${resultUrl} failed: the host has the ${words}, and the deployment is not in that network.`,
    ]);
    expect(requested).not.toContain(resultUrl);
  });

  test.each([
    ["http://127.0.0.1:8080", "http://localhost:9/a.png", true],
    ["http://10.0.0.2", "http://192.168.1.1/a.png", true],
    ["https://tryon-mock.test", "https://93.184.215.14/a.png", true],
    ["http://127.0.0.1:8080", "http://169.254.169.254/latest", false],
    ["http://10.0.0.2", "http://127.0.0.1/a.png", false],
  ])("of a deployment at %s may be %s: %s", async (baseUrl, resultUrl, allowed) => {
    const { requested, run } = resultsAt(resultUrl, baseUrl);
    await run();
    expect(requested.includes(resultUrl)).toBe(allowed);
  });
});

describe("a name in a URL of the deployment", () => {
  test("is connected to at the IPs that were checked", async () => {
    const { get } = await named(["127.0.0.1"], ["127.0.0.1"]);
    const { status, text, headers } = await get("/a.png");
    expect([status, text]).toEqual([200, "served"]);
    expect(headers.get("x-host")).toMatch(/^results\.test:/);
  });

  test("is not followed to another URL by a redirect", async () => {
    const { get, paths } = await named(["127.0.0.1"], ["127.0.0.1"]);
    expect(await get("/moved")).toMatchObject({ status: 302 });
    expect(paths).toEqual(["/moved"]);
  });

  test.each([
    [["93.184.215.14"], ["127.0.0.1"], "loopback IP 127.0.0.1"],
    [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"], "private IP 10.0.0.1"],
    [["127.0.0.1", "93.184.215.14"], ["127.0.0.1"], "loopback IP 127.0.0.1"],
  ])("is refused where the deployment has %j and it has %j", async (own, other, words) => {
    const { get, paths } = await named(own, other);
    await expect(get("/a.png")).rejects.toThrow(`the host has the ${words}`);
    expect(paths).toEqual([]);
  });
});
