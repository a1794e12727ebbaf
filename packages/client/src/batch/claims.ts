import type { ClientClock } from "../config/clock.ts";
import { randomKey } from "../jobs/job-submitter.ts";
import { checkClaim, checkRefused, checkResult, isKept, isKeptOrFull } from "./check-journal.ts";
import type { ItemClaim, JournalEntry, SharedJournal } from "./journal.ts";

export function createClaims(journal: SharedJournal, clock: ClientClock) {
  const owner = randomKey();
  const claimed = new Set<string>();
  let timer: unknown;

  const schedule = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
    if (claimed.size === 0) return;
    timer = clock.setTimeout(() => void renew(), journal.claimTtl / 3);
  };

  const renew = async (): Promise<void> => {
    // A failed renewal is repeated. If the claim ends meanwhile, `put` reports it.
    await journal.renew([...claimed], owner).catch(() => undefined);
    schedule();
  };

  /** Renews the claim no longer. The timer of the last one would keep the program running. */
  const forget = (id: string): boolean => {
    const isClaimed = claimed.delete(id);
    if (claimed.size === 0) schedule();
    return isClaimed;
  };

  return {
    async claim(id: string, isRetry: boolean): Promise<ItemClaim> {
      const claim = checkClaim(await journal.claim(id, owner, isRetry));
      if (claim.state === "claimed") {
        claimed.add(id);
        if (timer === undefined) schedule();
      }
      return claim;
    },
    async refused(ids: readonly string[]): Promise<ReadonlyMap<string, ItemClaim>> {
      const found = await journal.refusedClaims?.(ids, owner);
      const refused = ids.flatMap((id) => {
        const claim = found?.get(id);
        return claim === undefined ? [] : [[id, checkRefused(claim)] as const];
      });
      return new Map(refused);
    },
    async put(entry: JournalEntry, maxCredits?: number): Promise<boolean | "full"> {
      const { id, state } = entry;
      const kept =
        maxCredits === undefined
          ? checkResult("putClaimed", await journal.putClaimed(entry, owner), isKept)
          : checkResult(
              "putWithin",
              await journal.putWithin?.(entry, owner, maxCredits),
              isKeptOrFull,
            );
      // An item that has ended needs no claim, so none is left to renew or release.
      if (kept === true && (state === "succeeded" || state === "failed")) forget(id);
      return kept;
    },
    async release(id: string): Promise<void> {
      if (forget(id)) await journal.release(id, owner);
    },
  };
}
