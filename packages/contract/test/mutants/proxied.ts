import type { Mock } from "@tryon/mock";

import type { Fields } from "../../src/wire/response.ts";
import type { Mutant } from "./mutant.ts";
import {
  fieldsIn,
  isPoll,
  isSubmit,
  rewritten,
  tampered,
  type MutatedRequest,
} from "./mutated-responses.ts";

/** Request that a proxy received. */
export interface ProxiedRequest extends MutatedRequest {
  readonly kind: RequestKind | undefined;
}

type RequestKind = "submit" | "poll" | "account" | "purchase" | "make-key" | "ledger";

export type Handler = (request: ProxiedRequest) => Promise<Response>;

/** The server behind a proxy, with state of the proxy. */
export interface Upstream {
  readonly mock: Mock;
  readonly notes: Set<string>;
  /** Changes the balance that a key shows from now on. */
  readonly addCredits: (token: string, credits: number) => void;
}

/** Makes the handler of a proxy. */
export type Change = (upstream: Upstream) => Handler;

/** Makes mutants behind a proxy. The key of a row is the check that fails, or several with a comma between. */
export function proxyMutants(
  rows: Readonly<Record<string, readonly [name: string, change: Change]>>,
): readonly Mutant[] {
  return Object.entries(rows).map(([expected, [name, change]]) => ({
    name,
    expected: expected.split(", "),
    plant: (mock) => {
      const changes = new Map<string, number>();
      const addCredits = (token: string, credits: number): void => {
        changes.set(token, (changes.get(token) ?? 0) + credits);
      };
      const handle = change({ mock, notes: new Set(), addCredits });
      return tampered(mock, async (mutated) => {
        const request = { ...mutated, kind: kindOf(mutated) };
        const response = await handle(request);
        const added = changes.get(request.token) ?? 0;
        const showsBalance = request.kind === "account" || request.kind === "purchase";
        if (added === 0 || response.status !== 200 || !showsBalance) return response;
        const balance = Number((await fieldsIn(response))["credits_remaining"]) + added;
        // The response to a purchase has no negative balance.
        const min = request.kind === "purchase" ? 0 : -Infinity;
        return rewritten(response, { fields: { credits_remaining: Math.max(min, balance) } });
      });
    },
  }));
}

function kindOf(request: MutatedRequest): RequestKind | undefined {
  if (isSubmit(request)) return "submit";
  if (isPoll(request)) return "poll";
  const kinds: Readonly<Record<string, RequestKind>> = {
    "/api/v1/account": "account",
    "/api/v1/credits/purchase": "purchase",
    "/__mock/keys": "make-key",
    "/__mock/tenants": "make-key",
    "/__mock/ledger": "ledger",
  };
  return kinds[request.path];
}

/** Changes fields of responses with 200 to requests of a kind, unless `change` returns undefined. */
export function changedFields(
  kind: RequestKind,
  change: (fields: Fields, request: ProxiedRequest, upstream: Upstream) => Fields | undefined,
): Change {
  return (upstream) => async (request) => {
    const response = await request.send();
    if (request.kind !== kind || response.status !== 200) return response;
    const fields = change(await fieldsIn(response), request, upstream);
    return fields === undefined ? response : rewritten(response, { fields });
  };
}
