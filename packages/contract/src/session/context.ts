import type { JobWaits } from "../job-waits.ts";
import type { SchemaChecks } from "../schema-checks.ts";
import type { Budget } from "../target/budget.ts";
import type { Control } from "../target/control.ts";
import type { Keys } from "../target/keys.ts";
import type { Receiver } from "../target/receiver.ts";
import type { RequestPacer } from "../target/request-pacer.ts";
import type { Time } from "../target/time.ts";
import type { Redactor } from "../wire/redactor.ts";
import type { Send } from "../wire/send.ts";

export interface CheckContext {
  readonly baseUrl: string;
  readonly send: Send;
  readonly time: Time;
  readonly pacer: RequestPacer;
  readonly budget: Budget;
  readonly schemaChecks: SchemaChecks;
  readonly jobWaits: JobWaits;
  readonly control: Control | undefined;
  readonly redactor: Redactor;
  readonly receiver: Receiver | undefined;
  readonly keys: Keys;
}
