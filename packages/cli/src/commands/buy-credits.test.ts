import { readFileSync } from "node:fs";
import { Readable } from "node:stream";

import { expect, it } from "vitest";

import { expectEnd, openShop, type CommandResult } from "../../test/cli.ts";

const json = ({ stdout }: CommandResult) => JSON.parse(stdout) as Record<string, unknown>;

it("buys a pack with a token of standard input or the environment, up to a maximum in the state", async () => {
  const { tryon, mock, path } = await openShop({ options: { purchaseRepeat: "replay" } });
  const buy = (pack: string, max: string, given = {}) =>
    tryon(
      ["credits", "buy", pack, "--max-usd", max, "--state", path("state.json"), "--json"],
      given,
    );
  const piped = await buy("demo", "26", { stdin: Readable.from(["spt_secret_1\n"]) });
  expect(piped.stderr).toBe("");
  expect(json(piped)).toMatchObject({ status: "succeeded", credits_added: 100, usd: 2 });
  expect(piped.code).toBe(0);
  // The same token pays once.
  const repeated = await buy("demo", "26", { stdin: Readable.from(["spt_secret_1"]) });
  expect(json(repeated)).toMatchObject({ next: expect.stringContaining("nothing was paid now") });
  const environment = { TRYON_PAYMENT_TOKEN: "spt_secret_2" };
  const over = await buy("starter", "26", { environment });
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining('"budget_exceeded"') });
  expect(json(await buy("starter", "27", { environment }))).toMatchObject({ usd: 25 });
  const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
  const bought = entries.filter(({ cause }) => cause === "purchase");
  expect(bought.map(({ credits }) => credits)).toEqual([100, 1_200]);
  const output = [piped, repeated, over].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(output + readFileSync(path("state.json"), "utf8")).not.toContain("spt_secret");
});

it("prints what a payment needs, and ends with 1 until it is final", async () => {
  const { tryon, mock } = await openShop({ options: { purchaseRepeat: "replay" } });
  const environment = { TRYON_PAYMENT_TOKEN: "spt_requires_action_1" };
  const argv = ["credits", "buy", "demo", "--max-usd", "2"];
  const open = await tryon(argv, { environment });
  expect(open.code).toBe(1);
  expect(open.stderr).toContain("demo: requires_action, 0 credits added");
  expect(open.stderr).toContain("https://payments.example/authenticate");
  const { payment_intent_id: id } = json(await tryon([...argv, "--json"], { environment }));
  await mock.settlePayment(String(id), "succeeded");
  await expectEnd(tryon(argv, { environment }), 0, "1,100 credits left");
  const declined = { TRYON_PAYMENT_TOKEN: "spt_declined_1" };
  await expectEnd(tryon(argv, { environment: declined }), 1, "Nothing was paid.");
});

it.each([
  [["demo"], "spt_1", "--max-usd is missing"],
  [["none", "--max-usd", "2"], "spt_1", "unknown pack. Use one of demo, starter"],
  [["demo", "--max-usd", "2"], "", "the payment token is missing. Set TRYON_PAYMENT_TOKEN"],
  [["demo", "--max-usd", "2"], "card_1", "does not begin with spt_"],
  [["demo", "--max-usd", "2", "--token", "spt_1"], "", "unknown option --token"],
])("pays nothing with %j and the token %j", async (argv, token, problem) => {
  const { tryon, mock } = await openShop();
  const environment = { TRYON_PAYMENT_TOKEN: token };
  await expectEnd(tryon(["credits", "buy", ...argv], { environment }), 2, problem);
  expect(mock.journal.entries()).toEqual([]);
});
