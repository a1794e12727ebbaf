import { need } from "../outcome.ts";
import type { Control } from "../target/control.ts";
import { missingKey, type Key, type KeyKind, type NewKey } from "../target/keys.ts";
import type { Fields } from "../wire/response.ts";
import type { CheckContext } from "./context.ts";

export type CheckKeys = ReturnType<typeof checkKeys>;

/** Makes the keys of one check, with the control API. Each method throws a SkipCheck for what the run lacks. */
export function checkKeys({ keys: given, control, pacer }: CheckContext, on: KeyKind) {
  const made = new Set<string>();
  const faults: string[] = [];
  const named = (name: keyof typeof given): Key => {
    const key = given[name];
    need(key !== undefined, missingKey(name));
    return key;
  };
  const keys = {
    /** Key that the check works on. A check may replace it by a new one. */
    own: named(on === "any" ? (given.test === undefined ? "live" : "test") : on),
    named,
    hasControl: control !== undefined,
    get control(): Control {
      need(control !== undefined, "It takes a deployment with the control API (/__mock/).");
      return control;
    },
    async make(options: NewKey = {}): Promise<Key> {
      const path = options.account_id === undefined ? "tenants" : "keys";
      const key = await keys.control.makeKey(path, { ...options });
      made.add(key.token);
      pacer.setLimit(key.token, options.rate_limit_per_min ?? 0);
      return key;
    },
    /** Works on a new key from now on, where there is the control API. */
    async useNew(options: NewKey = {}): Promise<void> {
      if (keys.hasControl) keys.own = await keys.make(options);
    },
    /** Makes another key in the account of the key of this check. */
    sibling: (options: NewKey = {}): Promise<Key> =>
      keys.make({ ...options, account_id: keys.own.accountId }),
    /** If true, submissions with a key take credits out of the budget. */
    isPaid: (key: Key | string | null): boolean =>
      key !== null && typeof key !== "string" && key.kind === "live" && !made.has(key.token),
    async setNextJob(next: Fields): Promise<void> {
      await keys.control.post("next-job", { ...next, api_key: keys.own.token });
    },
    /** Makes the next job take a duration in milliseconds, where there is the control API. */
    async slowNextJob(duration: number): Promise<void> {
      if (keys.hasControl) await keys.setNextJob({ outcome: "succeeded", duration_ms: duration });
    },
    /** Adds a fault until the end of the check. */
    async addFault(fault: Fields): Promise<void> {
      const { fault_id: id } = await keys.control.post("faults", fault);
      faults.push(String(id));
    },
    async removeFaults(): Promise<void> {
      await Promise.all(faults.splice(0).map((id) => keys.control.remove(`faults/${id}`)));
    },
  };
  return keys;
}
