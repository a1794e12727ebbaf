import { readOptions } from "@tryon/shared/options";
import type { Network } from "../src/delivery/network.ts";
import type { Engine } from "../src/engine/engine.ts";
import { stockEngine } from "../src/engine/stock.ts";
import { profileOptions, type Options } from "../src/options.ts";
import { createService, type Service } from "../src/service/service.ts";
import { resolveSettings, settingRules } from "../src/settings.ts";
import type { Store } from "../src/store/store.ts";
import { SystemClock } from "../src/system/clock.ts";
import type { ClockHost } from "../src/system/host.ts";
import { createSystem } from "../src/system/system.ts";

/** The rules of the service on a store and an engine of the test's, without HTTP. */
export function bareService(parts: {
  store: Store;
  engine: Engine;
  network?: Network;
  options?: Partial<Options>;
  /** The machine under the clock. */
  host?: ClockHost;
}): {
  service: Service;
  system: { clock: SystemClock };
} {
  const clock = new SystemClock({ mode: "manual", ...(parts.host && { host: parts.host }) });
  const system = createSystem({ clock, seed: "1" });
  const service = createService({
    store: parts.store,
    engine: parts.engine,
    system,
    options: { ...profileOptions("default"), ...parts.options },
    settings: resolveSettings(
      readOptions("a setting", { images: parts.network ? "fetch" : "off" }, settingRules),
    ),
    stockEngine: stockEngine(),
    network: parts.network,
    planAttempt: () => ({ delay: 0, send: async () => new Response() }),
  });
  return { service, system: { clock } };
}
