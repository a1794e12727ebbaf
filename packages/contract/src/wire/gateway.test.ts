import { createMock, type MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runSuite, wholeSuite } from "../contract.ts";
import type { ContractOptions } from "../contract-options.ts";
import type { Report } from "../report.ts";
import { command } from "../../test/command.ts";
import { otherServer, realTimeOf } from "../../test/served.ts";
import { failures, notObservableIds } from "../../test/run-checks.ts";

interface Gateway {
  readonly server?: string;
  readonly maxBody?: number;
}

const page = "<html><head><title>413 Request Entity Too Large</title></head></html>";

async function runBehind(
  { server, maxBody = Infinity }: Gateway,
  { options, ...more }: Partial<ContractOptions> & { readonly options?: MockOptions["options"] },
): Promise<Report & { readonly moves: number }> {
  const mock = createMock({ clock: "manual", ...(options && { options }) });
  let moves = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    // The kit states the length of a large body, which is a stream.
    const stated = Number(new Headers(init?.headers).get("content-length"));
    const length = typeof init?.body === "string" ? init.body.length : stated;
    if (new Request(input).url.endsWith("/__mock/clock")) moves += 1;
    const response =
      length > maxBody
        ? new Response(page, { status: 413, headers: { "content-type": "text/html" } })
        : await mock.fetch(input, init);
    if (server === undefined) return response;
    const headers = new Headers(response.headers);
    headers.set("server", server);
    headers.set("date", new Date(mock.clock.now() - 3_600_000).toUTCString());
    return new Response(response.body, { status: response.status, headers });
  };
  const report = await runSuite(
    wholeSuite,
    { baseUrl: mock.baseUrl, fetch, ...more },
    realTimeOf(mock),
  );
  mock.close();
  return { ...report, moves };
}

describe("the kit behind a gateway", () => {
  test.each([
    ["nginx/1.22.1", "answered by nginx"],
    ["openresty", "answered by openresty"],
    [undefined, "answered"],
  ])(
    "finds a body limit of 1 MiB at level safe, and who answered (Server: %s)",
    async (server, name) => {
      const gateway = { ...(server !== undefined && { server }), maxBody: 2 ** 20 };
      const report = await runBehind(gateway, { only: ["large."] });
      expect(report.level).toBe("safe");
      const failed = failures(report);
      expect(failed).toMatch(/^large\.garment\.taken: .+ 413/);
      expect(failed.split("\n")[0]).toContain(` 413 (${name} with HTML).`);
    },
  );

  test.each(["nginx/1.22.1", "Caddy", "Apache/2.4.62 (Debian)", undefined])(
    "compares times with the Date of %s and moves the clock only without a gateway",
    async (server) => {
      const only = ["job.completed-at", "job.created-at.when", "rate-limit.reset"];
      const report = await runBehind(server === undefined ? {} : { server }, {
        only,
        level: "full",
      });
      const isDirect = server === undefined;
      expect(failures(report)).toBe("");
      expect(notObservableIds(report).toSorted()).toEqual(isDirect ? [] : only);
      const messages = report.checks.map(({ message }) => message).join("\n");
      expect(messages.includes("which has its own clock")).toBe(!isDirect);
      expect([report.virtualTime, report.moves > 0]).toEqual([isDirect, isDirect]);
    },
  );

  test("does not take a 413 of the gateway for that of the service", async () => {
    const only = ["observed.oversize"];
    const gateway = { server: "nginx/1.22.1", maxBody: 60 * 2 ** 20 };
    const report = await runBehind(gateway, { only, level: "full", options: { oversize: 400 } });
    expect(failures(report)).toBe("");
    expect(report.profile.unknown).toContain("oversize");
    expect(report.observations[0]?.message).toBe(
      "The 413 for a body over 64 MiB is that of nginx.",
    );
  });
});

async function runWith(body: object) {
  const url = await otherServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/api/v1/account") === true) response.end(JSON.stringify(body));
    else response.writeHead(404).end('{"detail":"Not Found"}');
  });
  return command(["--base-url", url, "--api-key", "svc_test_mock", "--only", "account"]);
}

describe("an account", () => {
  const account = {
    name: "a",
    credits_remaining: 5,
    rate_limit_per_min: 60,
    total_calls: 0,
    tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
  };

  test.each([
    ["credits_remaining", "5"],
    ["tryon_cost_credits", 8],
    ["rate_limit_per_min", null],
    ["total_calls", "0"],
    ["name", 7],
    ["credits_remaining", undefined],
    ["tryon_cost_credits", undefined],
  ])("with %s: %j is a failed check", async (name, value) => {
    const ended = await runWith({ ...account, [name]: value });
    expect(ended.stderr).not.toContain("is not the try-on service");
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("responses.GET /api/v1/account.200");
  });

  test("of another service ends the run, and names who answered", async () => {
    const other = await runWith({ name: "a", total_calls: 0 });
    expect(other.code).toBe(6);
    const url = await otherServer((_request, response) => {
      response
        .writeHead(502, { "content-type": "text/html", server: "nginx/1.22.1" })
        .end("<html>");
    });
    const ended = await command(["--base-url", url, "--api-key", "svc_test_mock"]);
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain("got 502 with text/html (answered by nginx with HTML).");
  });
});
