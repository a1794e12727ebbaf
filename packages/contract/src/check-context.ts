import type { SchemaChecks } from "./schema-checks.ts";
import type { Budget } from "./target/budget.ts";
import type { Control } from "./target/control.ts";
import type { Keys } from "./target/keys.ts";
import type { RequestPacer } from "./target/request-pacer.ts";
import type { Receiver } from "./target/receiver.ts";
import type { Time } from "./target/time.ts";
import type { Redactor } from "./wire/redactor.ts";
import type { Send } from "./wire/send.ts";

/** Parts of a run that its checks share. */
export interface CheckContext {
  readonly baseUrl: string;
  readonly send: Send;
  readonly time: Time;
  readonly pacer: RequestPacer;
  readonly budget: Budget;
  readonly schemaChecks: SchemaChecks;
  readonly control: Control | undefined;
  /** Removes the keys of the run from text that leaves the kit. */
  readonly redactor: Redactor;
  readonly receiver: Receiver | undefined;
  /** Keys of the user, and keys that the kit made. */
  readonly keys: Keys;
}
