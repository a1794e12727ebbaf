import type { Engine } from "../engine/engine.ts";
import type { Options } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { System } from "../system/system.ts";

/** Parts that all rules of the service share. */
export interface ServiceContext {
  readonly store: Store;
  readonly system: System;
  readonly options: Options;
  readonly settings: Settings;
  /** Renders the images of live keys. */
  readonly engine: Engine;
  /** Renders the images of test keys. */
  readonly stockEngine: Engine;
}
