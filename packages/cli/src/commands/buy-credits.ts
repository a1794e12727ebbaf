import { text as readText } from "node:stream/consumers";

import { duration, text, UsageError, wholeNumber, type Command } from "@tryon/cli-kit";

import { createBuyer, packSlugs, readToken, tokenVariable } from "../buy-pack.ts";
import { addConnection, askHidden, connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { formatCredits, note, printJson, showProgress } from "../display.ts";
import { openSession, ownerOf } from "../mcp/open-session.ts";

export const maxUsd = wholeNumber(1, 999_999);

export const addBuyOptions = (command: Command<[string]>) =>
  addConnection(
    command
      .optionsGroup("Purchase:")
      .option("--max-usd <number>", "allows purchases, up to these US dollars; required", maxUsd)
      .option("--state <file>", "file that counts the purchases of several commands", text)
      .option("--timeout <duration>", "maximum time, such as 5m", duration(86_400)),
  );

type BuyOptions = ReturnType<ReturnType<typeof addBuyOptions>["opts"]>;

/**
 * Buys a pack of credits. The token comes from the environment, standard input or a hidden prompt.
 *
 * @returns 0 if the token has paid, also before; 1 if the payment is open or failed.
 */
export async function buyCredits(
  slug: string,
  options: BuyOptions,
  context: CliContext,
): Promise<number> {
  const pack = packSlugs.find((known) => known === slug);
  if (!pack) throw new UsageError(`unknown pack. Use one of ${packSlugs.join(", ")}.`);
  if (options.maxUsd === undefined) {
    throw new UsageError(
      "--max-usd is missing. A purchase needs a maximum, such as 25 US dollars.",
    );
  }
  const connection = await connect(options, context);
  const { tryon, isLive, environment } = connection;
  const signal = context.onInterrupt();
  const token = readToken(environment[tokenVariable] || (await askForToken(context)));
  if (token === undefined) {
    throw new UsageError(`the payment token is missing. Set ${tokenVariable}, or pipe it in.`);
  }
  const limits = { maxCredits: Infinity, maxUsd: options.maxUsd };
  const session = await openSession(options.state, ownerOf(connection), limits);
  const end = showProgress(context, () => "Buying");
  try {
    const buyer = createBuyer(tryon, session, isLive);
    const report = await buyer.buy(pack, token, { timeout: options.timeout ?? 300_000, signal });
    end();
    if (options.json === true) printJson(context, report);
    else {
      const { status, credits_added: added, credits_remaining: left, next_action: action } = report;
      const credits = `${formatCredits(added ?? undefined)} added, ${formatCredits(left)} left`;
      note(context, `${pack}: ${status}, ${credits}`);
      if (action) note(context, `next_action: ${JSON.stringify(action)}`);
      note(context, report.next);
    }
    return /^(succeeded|already_processed)$/.test(report.status) ? 0 : 1;
  } catch (error) {
    end();
    if (signal.aborted) {
      note(context, "Interrupted. Run it again with the same token, which pays once.");
    }
    throw error;
  } finally {
    await session.close();
  }
}

async function askForToken(context: CliContext): Promise<string> {
  if (context.stdin.isTTY === true) return askHidden(context, "Payment token");
  return readText(context.stdin);
}
