import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { TryOn } from "@tryon/client";
import { useMock } from "@tryon/mock/vitest";
import { describe, expect, it } from "vitest";

import {
  callTool,
  createFolder,
  input,
  limit,
  openMcp,
  purchasePath,
  purchasesOf,
  startMcp,
  type ToolResult,
} from "../../test/mcp-session.ts";

const mock = useMock({
  clock: "manual",
  options: { refusedKey: "kept", purchaseRepeat: "replay" },
});
const usd = (max: number) => ["--max-usd", String(max)];
const withToken = (token: string) => ({
  TRYON_API_KEY: mock.keys.empty,
  TRYON_PAYMENT_TOKEN: token,
});
const paid = () => purchasesOf(mock, mock.keys.empty);
const sent = () => mock.journal.entries().filter(({ path }) => path.endsWith("/purchase")).length;
/** Opens a session that may buy up to these US dollars with a token of the environment, and how it buys a small pack. */
async function openBuyer(max: number, token: string) {
  const mcp = await openMcp([...limit(100), ...usd(max)], withToken(token));
  const buy = () => mcp.call("buy_credits", { pack_slug: "demo" });
  return { ...mcp, buy, buyInTime: () => mock.clock.runUntil(buy()) };
}
const idOf = ({ value }: ToolResult) => String(value["payment_intent_id"]);

/** Enters a token on the page of an elicitation, as a user does in a browser. */
async function enterToken(url: string, token: string): Promise<string> {
  const page = await (await fetch(url)).text();
  expect(page).toContain('type="password"');
  const response = await fetch(url, { method: "POST", body: new URLSearchParams({ token }) });
  return response.text();
}

/** Opens a session whose user enters these tokens, with a client of either line. */
async function openShopper(line: "older" | "current", argv: readonly string[], tokens: string[]) {
  const mcp = startMcp(argv, { TRYON_API_KEY: mock.keys.empty });
  const urls: string[] = [];
  const answer = async (params: object) => {
    const url = String(Reflect.get(params, "url"));
    urls.push(url);
    const token = tokens.shift();
    if (token === undefined) return { action: "decline" as const };
    await enterToken(url, token);
    return { action: "accept" as const };
  };
  const capabilities = { elicitation: { url: {} } };
  let client: Parameters<typeof callTool>[0];
  if (line === "current") {
    const current = await mcp.connectCurrent({ capabilities });
    current.setRequestHandler("elicitation/create", ({ params }) => answer(params));
    client = current;
  } else {
    const older = new Client({ name: "test", version: "1" }, { capabilities });
    older.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
    await mcp.connectOlder(older);
    client = older;
  }
  const buy = (fields: object = {}) =>
    callTool(client, "buy_credits", { pack_slug: "demo", ...fields });
  return { ...mcp, urls, buy, client };
}

describe("an agent without credits", () => {
  it.each(["older", "current"] as const)(
    "buys a pack with a token of the user, and then makes its try-on: %s client",
    async (line) => {
      const state = join(createFolder(), "state.json");
      const token = `spt_secret_${line}`;
      const argv = [...limit(100), ...usd(20), "--state", state];
      const { client, buy, output, urls } = await openShopper(line, argv, [token]);
      const refused = await callTool(client, "submit", input);
      expect(refused.error).toMatch(
        /^insufficient_credits: .+Call buy_credits, then repeat submit/,
      );
      const { value } = await buy();
      const budget = { usd: { max: 20, spent: 2, reserved: 0, left: 18 } };
      const bought = { status: "succeeded", credits_added: 100, credits_remaining: 100, usd: 2 };
      expect(value).toMatchObject({ ...bought, budget });
      expect((await callTool(client, "submit", input)).value["job_id"]).toMatch(/^job_/);
      expect(await paid()).toEqual([100]);
      expect(urls).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{36}$/)]);
      await expect(fetch(urls[0] ?? "")).rejects.toThrow("fetch failed");
      expect(output.stdout + output.stderr + readFileSync(state, "utf8")).not.toContain(token);
    },
  );

  it("gets the next step of the user with a 402, if purchases are not allowed", async () => {
    const { client, call } = await openMcp(limit(100), withToken("spt_1"));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).toSorted();
    expect(names).toEqual(["account", "estimate", "get", "submit", "wait"]);
    expect((await call("submit", input)).error).toMatch(/tryon credits buy.+--max-usd/);
    expect(sent()).toBe(0);
  });

  it("pays nothing if the user gives no token, or the client opens no page", async () => {
    const { buy } = await openShopper("current", [...limit(100), ...usd(20)], []);
    expect((await buy()).error).toMatch(/^payment_declined: /);
    const { call } = await openMcp([...limit(100), ...usd(20)]);
    const { error } = await call("buy_credits", { pack_slug: "demo" });
    expect(error).toMatch(/^payment_token_missing: .+TRYON_PAYMENT_TOKEN/);
    expect(sent()).toBe(0);
  });
});

describe("a purchase", () => {
  it("reads the token of --env-file for each purchase, and one token pays for one purchase", async () => {
    const file = join(createFolder(), ".env");
    writeFileSync(file, "TRYON_PAYMENT_TOKEN=spt_one\n");
    const argv = [...limit(100), ...usd(20), "--env-file", file];
    const { call } = await openMcp(argv, { TRYON_API_KEY: mock.keys.empty });
    const buy = (variation?: string) => call("buy_credits", { pack_slug: "demo", variation });
    expect((await buy()).value["status"]).toBe("succeeded");
    const again = await buy();
    expect(again.value).toMatchObject({
      status: "succeeded",
      next: expect.stringMatching("before"),
    });
    expect(sent()).toBe(1);
    expect((await buy("second")).error).toMatch(/^payment_token_missing: .+has not paid before/);
    writeFileSync(file, "TRYON_PAYMENT_TOKEN=spt_two\n");
    expect((await buy("second")).value).toMatchObject({ credits_remaining: 200 });
    expect(await paid()).toEqual([100, 100]);
  });

  it("exceeds the maximum in no way: parallel calls, a restart, and an open payment count", async () => {
    const state = join(createFolder(), "state.json");
    const argv = [...limit(100), ...usd(4), "--state", state];
    const first = await openMcp(argv, withToken("spt_requires_action_1"));
    const call = (fields: object) => first.call("buy_credits", { pack_slug: "demo", ...fields });
    expect((await call({ pack_slug: "starter" })).error).toMatch(/^budget_exceeded: .+Nothing was/);
    expect((await call({})).value["status"]).toBe("requires_action");
    await first.stop();
    const second = await openShopper("current", argv, ["spt_two", "spt_three"]);
    const over = await second.buy({ pack_slug: "starter" });
    expect(over.error).toMatch(/^budget_exceeded: /);
    expect(second.urls).toEqual([]);
    const results = await Promise.all([2, 3].map((variation) => second.buy({ variation })));
    const codes = results.map(({ error }) => error?.split(":")[0]);
    expect(codes.filter(Boolean)).toEqual(["budget_exceeded"]);
    const budget = { usd: { max: 4, spent: 2, reserved: 2, left: 0 } };
    expect((await callTool(second.client, "account")).value).toMatchObject({ budget });
    expect(await paid()).toEqual([100]);
  });

  it("is reserved before it is sent", async () => {
    const { buy, call } = await openBuyer(4, "spt_one");
    mock.faults.add({ on: purchasePath, times: 1, latency: "20s" });
    const bought = buy();
    await mock.journal.waitFor(purchasePath, { until: "arrived" });
    const budget = { usd: { spent: 0, reserved: 2, left: 2 } };
    expect((await call("account")).value).toMatchObject({ budget });
    await mock.clock.advance("20s");
    expect((await bought).value["status"]).toBe("succeeded");
  });

  it("that needs an action returns it at once, and a later call continues", async () => {
    const { buy } = await openBuyer(4, "spt_requires_action_1");
    const start = mock.clock.now();
    const first = await buy();
    expect(mock.clock.now()).toBe(start);
    expect(first.value).toMatchObject({
      status: "requires_action",
      credits_added: 0,
      next_action: { type: "redirect_to_url" },
      next: expect.stringMatching(/The user has to act.+same token/),
    });
    await mock.settlePayment(idOf(first), "succeeded");
    expect((await buy()).value).toMatchObject({ status: "succeeded", credits_added: 100 });
    expect(await paid()).toEqual([100]);
  });

  it.each([
    ["succeeded", { value: { status: "succeeded", credits_added: 100 } }, 0, [100]],
    [
      "canceled",
      { error: expect.stringMatching(/^payment_failed: .+was canceled\. Nothing/) },
      2,
      [],
    ],
  ])("that is processed is waited for, and a later call continues: %s", async (...row) => {
    const [status, end, left, credits] = row;
    const { buyInTime, call } = await openBuyer(2, "spt_processing_1");
    const start = mock.clock.now();
    const first = await buyInTime();
    expect(mock.clock.now() - start).toBe(25_000);
    expect(first.value).toMatchObject({
      status: "processing",
      next: expect.stringMatching("same"),
    });
    await mock.settlePayment(idOf(first), status);
    expect(await buyInTime()).toMatchObject(end);
    expect((await call("account")).value).toMatchObject({ budget: { usd: { left } } });
    expect(await paid()).toEqual(credits);
  });

  it("whose response was lost is paid once, also after a restart, and never with another token", async () => {
    const state = join(createFolder(), "state.json");
    const argv = [...limit(100), ...usd(20), "--state", state];
    const { id } = mock.faults.add({ on: purchasePath, reset: "after" });
    const first = await openMcp(argv, withToken("spt_one"));
    const lost = first.call("buy_credits", { pack_slug: "demo" }).catch(() => undefined);
    await mock.journal.waitFor(purchasePath);
    await first.stop();
    await first.client.close();
    await lost;
    mock.faults.remove(id);
    expect(await paid()).toEqual([100]);
    const second = await openMcp(argv, withToken("spt_two"));
    const refused = await second.call("buy_credits", { pack_slug: "demo" });
    expect(refused.error).toMatch(/^payment_open: .+another token\. Nothing was sent/);
    await second.stop();
    const third = await openMcp(argv, withToken("spt_one"));
    const { value } = await third.call("buy_credits", { pack_slug: "demo" });
    expect(value).toMatchObject({ status: "succeeded", budget: { usd: { spent: 2, left: 18 } } });
    expect(await paid()).toEqual([100]);
  });

  it.each([
    [0, 0],
    [1, 2],
  ])(
    "that the service has processed before does not fail: after %d lost responses, %d dollars count",
    async (times, spent) => {
      const { buyInTime } = await openBuyer(20, "spt_one");
      if (times > 0) mock.faults.add({ on: purchasePath, reset: "after", times });
      mock.faults.add({ on: purchasePath, status: 409, body: { detail: "already processed" } });
      for (const { error, value } of [await buyInTime(), await buyInTime()]) {
        expect(error).toBeUndefined();
        const budget = { usd: { spent, reserved: 0 } };
        const credits_remaining = times * 100;
        expect(value).toMatchObject({ status: "already_processed", credits_remaining, budget });
      }
      expect(sent()).toBe(times + 1);
    },
  );

  it("that is declined after a lost response may be paid, and stays reserved", async () => {
    const { buyInTime, call } = await openBuyer(2, "spt_one");
    mock.faults.add({ on: purchasePath, reset: "after", times: 1 });
    mock.faults.add({ on: purchasePath, status: 402, times: 1, body: { detail: "token is used" } });
    expect((await buyInTime()).error).toMatch(/^payment_failed: .+Repeat it with the same token/);
    expect((await call("account")).value).toMatchObject({ budget: { usd: { reserved: 2 } } });
    const budget = { usd: { spent: 2 } };
    expect((await buyInTime()).value).toMatchObject({ status: "succeeded", budget });
    expect(await paid()).toEqual([100]);
  });

  it("that is declined pays nothing, and another token can pay", async () => {
    const tokens = ["spt_declined_1", "spt_one"];
    const { buy } = await openShopper("current", [...limit(100), ...usd(2)], tokens);
    const { error } = await buy();
    expect(error).toMatch(/^payment_failed: .+Nothing was paid\. The user can grant another token/);
    expect((await buy()).value["status"]).toBe("succeeded");
    expect(await paid()).toEqual([100]);
  });

  it("with a test key says that no real credits were added, and counts no dollars", async () => {
    const environment = { ...withToken("spt_one"), TRYON_API_KEY: mock.keys.test };
    const { call } = await openMcp(usd(2), environment);
    const { value } = await call("buy_credits", { pack_slug: "enterprise" });
    expect(value).toMatchObject({ status: "succeeded", usd: 0, budget: { usd: { spent: 0 } } });
    expect(value["next"]).toMatch("no real credits");
  });

  it("continues with a token that was entered after the call", async () => {
    const { buy, urls } = await openShopper("current", [...limit(100), ...usd(2)], ["none"]);
    const { value } = await mock.clock.runUntil(buy());
    expect(value).toMatchObject({ status: "token_required", next: expect.stringMatching("Call") });
    await enterToken(urls[0] ?? "", "spt_one");
    expect((await buy()).value["status"]).toBe("succeeded");
    expect(urls).toHaveLength(1);
  });

  it("gets its token only from a page with a random URL of this machine", async () => {
    const { buy, urls } = await openShopper("current", [...limit(100), ...usd(2)], ["none"]);
    const waiting = buy();
    await expect.poll(() => urls.length).toBe(1);
    const [url = ""] = urls;
    expect((await fetch(new URL("/", url))).status).toBe(404);
    const other = get(url, { headers: { host: "rebound.example" } });
    const [response] = (await once(other, "response")) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(404);
    expect(await enterToken(url, "spt_one")).toContain("close this page");
    expect((await waiting).value["status"]).toBe("succeeded");
  });
});

it("continues a purchase of the client", async () => {
  const order = { pack_slug: "demo", shared_payment_granted_token: "spt_one" } as const;
  await new TryOn({ apiKey: mock.keys.empty, baseUrl: mock.url }).credits.purchase(order);
  const { buy } = await openBuyer(20, "spt_one");
  const { value } = await buy();
  expect(value).toMatchObject({ status: "succeeded", credits_remaining: 100 });
  expect(await paid()).toEqual([100]);
});
