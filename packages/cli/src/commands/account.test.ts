import { expect, test } from "vitest";

import { expectEnd, openShop, runCli } from "../../test/cli.ts";

test("prints the account, and what the balance pays for", async () => {
  const { tryon } = await openShop();
  const account = await tryon(["account"]);
  expect(account.stdout).toContain("Balance          1,000 credits\n");
  expect(account.stdout).toContain("Key              live: try-ons are charged\n");
  const credits = await tryon(["credits"]);
  expect(credits.stdout).toContain(
    "SIZE  CREDITS  BALANCE PAYS FOR\n1K          8               125\n",
  );
  expect(credits.stdout).toContain("starter      25     1200         150\n");
  const json = JSON.parse((await tryon(["account", "--json"])).stdout) as unknown;
  expect(json).toMatchObject({ credits_remaining: 1_000 });
  expect(JSON.parse((await tryon(["credits", "--json"])).stdout)).toMatchObject({
    credits_remaining: 1_000,
    tryon_cost_credits: { "2K": 12 },
    packs: { demo: { usd: 2, credits: 100 } },
  });
});

test("needs a URL to which it may send a key, and a key", async () => {
  expect(await runCli(["account"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "tryon: the service is missing. Use --base-url https://tryon.example, or set TRYON_BASE_URL.\n",
  });
  const environment = { TRYON_BASE_URL: "http://127.0.0.1:9", TRYON_API_KEY: "" };
  expect((await runCli(["account"], { environment })).stderr).toBe(
    "tryon: the key is missing. Set TRYON_API_KEY, or use --env-file.\n",
  );
  const remote = { TRYON_BASE_URL: "http://shop.example", TRYON_API_KEY: "svc_live_mock" };
  const ending = runCli(["account"], { environment: remote });
  await expectEnd(ending, 2, "Use https, or a server on this machine.\n");
});
