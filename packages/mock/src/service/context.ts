import type { Network } from "../delivery/network.ts";
import type { Engine } from "../engine/engine.ts";
import type { Options } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { System } from "../system/system.ts";

export interface DeliveryAttemptPlan {
  readonly delay: number;
  readonly send: (request: Request) => Promise<Response>;
}

export interface ServiceContext {
  readonly store: Store;
  readonly system: System;
  readonly options: Options;
  readonly settings: Settings;
  /** Renders the images of live keys. */
  readonly engine: Engine;
  /** Renders the images of test keys. */
  readonly stockEngine: Engine;
  /** Fetches images. Undefined for the global `fetch`. */
  readonly network: Network | undefined;
  /** Called once for each attempt to deliver a webhook. */
  readonly planAttempt: () => DeliveryAttemptPlan;
}
