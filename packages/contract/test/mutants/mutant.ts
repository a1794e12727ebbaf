import type { Mock } from "@tryon/mock";

import { fieldsIn, rewritten, tampered, type Change, type Fetch } from "./mutated-responses.ts";

/** A reference server with one defect, which the expected checks find and no others. */
export interface Mutant {
  readonly name: string;
  readonly expected: readonly string[];
  readonly plant: (mock: Mock) => Fetch;
  /** If true, it refuses webhooks to its own machine, as a public server does. */
  readonly isPublic: boolean;
}

/** Makes mutants. The key of a row is the check that fails, or several with a comma between, and the name of the mutant. */
export function mutants(
  rows: Readonly<Record<string, Change>>,
  isPublic = false,
): readonly Mutant[] {
  return Object.entries(rows).map(([key, change]) => {
    const [checks = "", name = ""] = key.split(/: (.*)/);
    return {
      name,
      expected: checks.split(", ").toSorted(),
      plant: (mock) => planted(mock, change),
      isPublic,
    };
  });
}

export function planted(mock: Mock, change: Change): Fetch {
  const changes = new Map<string, number>();
  const addCredits = (token: string, credits: number): void => {
    changes.set(token, (changes.get(token) ?? 0) + credits);
  };
  const handle = change({ mock, notes: new Set(), addCredits });
  return tampered(mock, async (request) => {
    const response = await handle(request);
    const added = changes.get(request.token) ?? 0;
    const showsBalance = request.kind === "account" || request.kind === "purchase";
    if (added === 0 || response.status !== 200 || !showsBalance) return response;
    const balance = Number((await fieldsIn(response))["credits_remaining"]) + added;
    // The response to a purchase has no negative balance.
    const min = request.kind === "purchase" ? 0 : -Infinity;
    return rewritten(response, { fields: { credits_remaining: Math.max(min, balance) } });
  });
}
