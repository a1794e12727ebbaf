import { createServer } from "node:http";

import { expect, test } from "vitest";
import { listen } from "@tryon/test-kit/listen";

import { linesOf, openReceiver, openShop } from "../../test/cli.ts";

test("checks the machine, the key and the service, and charges nothing", async () => {
  const { tryon, charges, mock } = await openShop();
  const { code, stdout } = await tryon(["doctor"]);
  expect(code).toBe(0);
  for (const line of [
    `ok    Node         ${process.versions.node}`,
    "ok    Key mode     live: try-ons are charged",
    "ok    Key          valid, not disabled and not flagged",
    "ok    Service      reference server, which charges nothing",
    "ok    Clock        within a minute of the service",
    "ok    Balance      1,000 credits",
    "ok    Spec         version 1.0.0",
    "ok    Open point   X-RateLimit headers: on every response",
  ]) {
    expect(stdout).toContain(`${line}\n`);
  }
  expect(stdout).toMatch(/^ok {4}Base URL {5}http:\/\/127\.0\.0\.1:\d+, on this machine$/m);
  expect(stdout).not.toContain(mock.keys.live);
  expect(await charges()).toBe(0);
  expect(mock.journal.entries().map(({ method }) => method)).not.toContain("POST");
});

test.each([
  ["svc_live_disabled", /fail {2}Key +.*403/],
  ["svc_live_flagged", /fail {2}Key +.*fraud.*check the dashboard/],
  ["svc_live_unknown", /fail {2}Key +.*401.*Check TRYON_API_KEY/],
  ["svc_live_empty", /warn {2}Balance +0 credits, too few for a try-on/],
  ["", /fail {2}Settings +the key is missing/],
])("says what to do about the key %j", async (key, line) => {
  const { tryon } = await openShop();
  const { code, stdout } = await tryon(["doctor"], { environment: { TRYON_API_KEY: key } });
  expect(stdout).toMatch(line);
  expect(code).toBe(/^warn/m.test(stdout) ? 0 : 1);
  expect(stdout).not.toContain(key || "svc_live_");
});

test("says so if nothing responds, or the clock differs, or a proxy is set", async () => {
  const { tryon } = await openShop();
  const environment = { TRYON_BASE_URL: "http://127.0.0.1:9", HTTPS_PROXY: "http://u:pw@proxy" };
  const { code, stdout } = await tryon(["doctor"], { environment });
  expect(code).toBe(1);
  expect(stdout).toMatch(/fail {2}Service +.*ECONNREFUSED.*Check --base-url/);
  expect(stdout).toMatch(/Proxy +HTTPS_PROXY set/);
  expect(stdout).not.toContain("pw");
  const account = {
    name: "shop",
    credits_remaining: 8,
    rate_limit_per_min: 60,
    total_calls: 1,
    tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
  };
  const server = createServer((_request, response) => {
    response.setHeader("date", "Mon, 01 Jan 2024 00:00:00 GMT");
    response.setHeader("content-type", "application/json").end(JSON.stringify(account));
  });
  const behind = { TRYON_BASE_URL: await listen(server) };
  expect((await tryon(["doctor"], { environment: behind })).stdout).toMatch(
    /warn {2}Clock +\d+ s ahead of the service\. Set the clock/,
  );
});

test("prints JSON with --json", async () => {
  const { tryon } = await openShop();
  const { stdout } = await tryon(["doctor", "--json"]);
  expect(linesOf(stdout)).toContainEqual({
    check: "Balance",
    status: "ok",
    message: "1,000 credits",
  });
});

/** Opens a shop, and a function that sends a test event to a receiver. */
async function openChecks() {
  const { tryon, mock } = await openShop();
  const environment = { TRYON_WEBHOOK_SECRET: mock.webhookSecret };
  const check = (url: string) => tryon(["doctor", "--webhook-url", url], { environment });
  return { tryon, check };
}

test("sends a signed test event to --webhook-url, and says what came back", async () => {
  const { tryon, check } = await openChecks();
  const { target, bodies } = await openReceiver();
  expect((await check(target)).stdout).toMatch(/ok {4}Webhook +204 after \d+ ms\n$/);
  expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ event: "tryon.completed" });
  const broken = await openReceiver(500);
  const failed = await check(broken.target);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/fail {2}Webhook +500 after.*tryon webhooks send --to/);
  for (const url of [target, "http://example.com/hook"]) {
    expect(await tryon(["doctor", "--webhook-url", url])).toMatchObject({ code: 2 });
  }
});

test("fails if a page answers the test event, and says if another server does", async () => {
  const { check } = await openChecks();
  const respondWith = async (type: string) =>
    check((await openReceiver([200, { "content-type": type }])).target);
  const page = await respondWith("text/html; charset=utf-8");
  expect(page.code).toBe(1);
  expect(page.stdout).toMatch(/fail {2}Webhook +200 after \d+ ms: a page answered, not a receiver/);
  const other = await respondWith("application/json");
  expect(other.code).toBe(0);
  expect(other.stdout).toMatch(
    /ok {4}Webhook +200 .* \(not recognized as a receiver of this SDK\)/,
  );
});

test("follows no redirect of a receiver, so its event reaches no other host", async () => {
  const { check } = await openChecks();
  const other = await openReceiver();
  for (const status of [302, 307, 308]) {
    const { target, bodies } = await openReceiver([status, { location: `http://${other.target}` }]);
    const { code, stdout } = await check(target);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`fail {2}Webhook +${status} after`));
    expect(bodies).toHaveLength(1);
  }
  expect(other.bodies).toEqual([]);
});

test.each(["user:pass-word", "user", ":pass-word"])(
  "refuses a receiver's URL with %j, and does not print it",
  async (userInfo) => {
    const { check } = await openChecks();
    const { target, bodies } = await openReceiver();
    const { code, stdout, stderr } = await check(`http://${userInfo}@${target}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--webhook-url.+ without user and password/s);
    expect(stdout + stderr).not.toContain("pass-word");
    expect(bodies).toEqual([]);
  },
);
