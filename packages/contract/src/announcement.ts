import type { Level } from "./check.ts";
import type { Plan } from "./plan.ts";
import { keyNames, type Bench, type Key, type KeyName } from "./bench.ts";

/** A key that a run uses, without the key itself. */
export interface KeyUse {
  readonly name: KeyName;
  readonly kind: "live" | "test";
  /** Whether the kit has made it, on a reference server. */
  readonly made: boolean;
}

/** What a run is going to do, said before it does anything. */
export interface Announcement {
  readonly baseUrl: string;
  readonly level: Level;
  /** How many checks it runs, and how many open points it looks at. */
  readonly checks: number;
  readonly probes: number;
  readonly keys: readonly KeyUse[];
  readonly credits: {
    /** What the chosen checks would take from the live key. */
    readonly planned: number;
    /** What may be taken from it at all; checks that would go over it are left out. */
    readonly most: number;
  };
  /** Whether the deployment is a reference server, whose credits are worth nothing. */
  readonly reference: boolean;
  readonly virtualTime: boolean;
  /** Whether webhooks reach the kit. */
  readonly webhooks: boolean;
}

export function announcementOf({
  options,
  level,
  plan,
  most,
  keys,
  given,
  bench,
}: {
  readonly options: { readonly baseUrl: string };
  readonly level: Level;
  readonly plan: Plan;
  readonly most: number;
  readonly keys: Readonly<Partial<Record<KeyName, Key>>>;
  readonly given: Readonly<Partial<Record<KeyName, Key>>>;
  readonly bench: Bench;
}): Announcement {
  return {
    baseUrl: options.baseUrl,
    level,
    checks: plan.checks.length,
    probes: plan.probes.length,
    keys: keyNames.flatMap((name) => {
      const key = keys[name];
      return key === undefined ? [] : [{ name, kind: key.kind, made: given[name] === undefined }];
    }),
    credits: { planned: plan.credits, most },
    reference: bench.control !== undefined,
    virtualTime: bench.time.virtual,
    webhooks: bench.receiver !== undefined,
  };
}
