import type { Engine } from "../engine/engine.ts";
import type { Options } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { System } from "../system/system.ts";

/** What the rules of the service stand on. */
export interface ServiceContext {
  readonly store: Store;
  readonly system: System;
  readonly options: Options;
  readonly settings: Settings;
  /** Makes the images of live keys. */
  readonly engine: Engine;
  /** Makes the images of test keys, which never reach the engine. */
  readonly stockEngine: Engine;
}
