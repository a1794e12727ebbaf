import { packs } from "@tryon/client";

import { connect, type ConnectionOptions } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { printJson, printTable } from "../display.ts";

export async function showAccount(
  options: ConnectionOptions,
  context: CliContext,
): Promise<number> {
  const { tryon, isLive } = await connect(options, context);
  const account = await tryon.account.get();
  if (options.json === true) {
    printJson(context, account);
    return 0;
  }
  printTable(
    context,
    ["ACCOUNT", ""],
    [
      ["Name", account.name ?? "-"],
      ["Key", isLive ? "live: try-ons are charged" : "test: nothing is charged"],
      ["Balance", `${account.credits_remaining.toLocaleString("en-US")} credits`],
      ["Rate limit", `${account.rate_limit_per_min} requests per minute`],
      ["Requests so far", account.total_calls.toLocaleString("en-US")],
    ],
  );
  return 0;
}

export async function showCredits(
  options: ConnectionOptions,
  context: CliContext,
): Promise<number> {
  const { tryon } = await connect(options, context);
  const { credits_remaining: balance } = await tryon.account.get();
  const { costs } = await tryon.costs();
  if (options.json === true) {
    printJson(context, { credits_remaining: balance, tryon_cost_credits: costs, packs });
    return 0;
  }
  context.stdout.write(`Balance: ${balance.toLocaleString("en-US")} credits\n\n`);
  const sizes = Object.entries(costs);
  printTable(
    context,
    ["SIZE", "CREDITS", "BALANCE PAYS FOR"],
    sizes.map(([size, cost]) => [size, cost, cost > 0 ? Math.floor(balance / cost) : undefined]),
  );
  context.stdout.write("\n");
  printTable(
    context,
    ["PACK", "USD", "CREDITS", "1K TRY-ONS"],
    Object.entries(packs).map(([slug, { usd, credits }]) => [
      slug,
      usd,
      credits,
      Math.floor(credits / costs["1K"]),
    ]),
  );
  return 0;
}
