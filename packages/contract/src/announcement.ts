import type { Level } from "./check.ts";
import type { Plan } from "./plan.ts";
import { type CheckContext } from "./check-context.ts";
import { keyNames, type Key, type KeyName } from "./target/keys.ts";

/** A key that a run uses, without the key itself. */
export interface KeyUse {
  readonly name: KeyName;
  readonly kind: "live" | "test";
  /** If true, the kit has made it on a reference server. */
  readonly made: boolean;
}

/** What a run is going to do, said before it does anything. */
export interface Announcement {
  readonly baseUrl: string;
  readonly level: Level;
  /** Number of checks, and of probes. */
  readonly checks: number;
  readonly probes: number;
  readonly keys: readonly KeyUse[];
  readonly credits: {
    /** Credits that the chosen checks would take from the live key. */
    readonly planned: number;
    /** What may be taken from it at all; checks that would go over it are left out. */
    readonly most: number;
  };
  /** If true, the live keys are of a reference server, and their credits cost nothing. */
  readonly reference: boolean;
  readonly virtualTime: boolean;
  /** If true, webhooks reach the kit. */
  readonly webhooks: boolean;
}

export function announcementOf({
  options,
  level,
  plan,
  most,
  free,
  keys,
  given,
  bench,
}: {
  readonly options: { readonly baseUrl: string };
  readonly level: Level;
  readonly plan: Plan;
  readonly most: number;
  readonly free: boolean;
  readonly keys: Readonly<Partial<Record<KeyName, Key>>>;
  readonly given: Readonly<Partial<Record<KeyName, Key>>>;
  readonly bench: CheckContext;
}): Announcement {
  return {
    baseUrl: bench.redactor.redact(options.baseUrl),
    level,
    checks: plan.checks.length,
    probes: plan.probes.length,
    keys: keyNames.flatMap((name) => {
      const key = keys[name];
      return key === undefined ? [] : [{ name, kind: key.kind, made: given[name] === undefined }];
    }),
    credits: { planned: plan.credits, most },
    reference: free,
    virtualTime: bench.time.virtual,
    webhooks: bench.receiver !== undefined,
  };
}
