import type { ClientClock } from "../config/clock.ts";
import { randomKey } from "../jobs/job-submitter.ts";
import { checkClaim, checkKept } from "./check-journal.ts";
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

  return {
    async claim(id: string, isRetry: boolean): Promise<ItemClaim> {
      const claim = checkClaim(await journal.claim(id, owner, isRetry));
      if (claim.state === "claimed") {
        claimed.add(id);
        if (timer === undefined) schedule();
      }
      return claim;
    },
    put: async (entry: JournalEntry): Promise<boolean> =>
      checkKept(await journal.putClaimed(entry, owner)),
    async release(id: string): Promise<void> {
      if (!claimed.delete(id)) return;
      if (claimed.size === 0) schedule();
      await journal.release(id, owner);
    },
  };
}
