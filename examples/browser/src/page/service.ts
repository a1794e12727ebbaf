import { TryOn } from "@tryon/client";

import { browserStore, pageStore, type OrderStore } from "./order-store.ts";

/** Where the pictures are made: behind the shop's proxy, or by the mock in the page itself. */
export type Place = "shop" | "mock";

export interface Connection {
  readonly tryon: TryOn;
  readonly store: OrderStore;
}

/** The place that the address of the page names. */
export function placeOf(address: URL): Place {
  return address.searchParams.has("mock") ? "mock" : "shop";
}

export async function connect(place: Place): Promise<Connection> {
  if (place === "shop") {
    // A toy: in a shop, whoever opens the page has a session already.
    await fetch("/api/visitor", { method: "POST" });
    return { tryon: new TryOn({ proxyUrl: "/api/tryon" }), store: browserStore() };
  }
  // Nobody who comes to the shop loads the mock.
  const { startMockService } = await import("./mock-service.ts");
  return { tryon: new TryOn(await startMockService()), store: pageStore() };
}
