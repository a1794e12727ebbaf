import type { Level } from "./check.ts";
import type { Plan } from "./plan.ts";
import { type CheckContext } from "./check-context.ts";
import { keyNames, type KeyName, type Keys } from "./target/keys.ts";

/** Purpose and kind of a key of a run. */
export interface KeyUse {
  readonly name: KeyName;
  readonly kind: "live" | "test";
  /** If true, the kit made it on a reference server. */
  readonly made: boolean;
}

/** Plan of a run, reported before its first check. */
export interface Announcement {
  readonly baseUrl: string;
  readonly level: Level;
  readonly checks: number;
  readonly probes: number;
  readonly keys: readonly KeyUse[];
  readonly credits: {
    /** Credits that the selected checks take from the live key at max. */
    readonly planned: number;
    /** Maximum for the whole run. Checks that would exceed it do not run. */
    readonly max: number;
  };
  /** If true, the live keys belong to a reference server, and their credits cost nothing. */
  readonly reference: boolean;
  readonly virtualTime: boolean;
  /** If true, webhooks reach the kit. */
  readonly webhooks: boolean;
}

export function createAnnouncement({
  options,
  level,
  plan,
  max,
  free,
  keys,
  given,
  context,
}: {
  readonly options: { readonly baseUrl: string };
  readonly level: Level;
  readonly plan: Plan;
  readonly max: number;
  readonly free: boolean;
  readonly keys: Keys;
  readonly given: Keys;
  readonly context: CheckContext;
}): Announcement {
  return {
    baseUrl: context.redactor.redact(options.baseUrl),
    level,
    checks: plan.checks.length,
    probes: plan.probes.length,
    keys: keyNames.flatMap((name) => {
      const key = keys[name];
      return key === undefined ? [] : [{ name, kind: key.kind, made: given[name] === undefined }];
    }),
    credits: { planned: plan.credits, max },
    reference: free,
    virtualTime: context.time.virtual,
    webhooks: context.receiver !== undefined,
  };
}
