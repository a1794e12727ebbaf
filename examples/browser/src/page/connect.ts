import { TryOn } from "@tryon/client";

import { RequestStore } from "./request-store.ts";

/** Service of the page: the shop's proxy, or the mock in the page. */
export type Mode = "shop" | "mock";

export async function connect(mode: Mode): Promise<{ tryon: TryOn; store: RequestStore }> {
  const store = new RequestStore(mode);
  if (mode === "shop") {
    await fetch("/api/visitor", { method: "POST" });
    return { tryon: new TryOn({ proxyUrl: "/api/tryon" }), store };
  }
  // The mock loses its jobs on a reload.
  await store.clear();
  // Visitors of the shop never load the mock.
  const { startMock } = await import("./start-mock.ts");
  return { tryon: new TryOn(await startMock()), store };
}
