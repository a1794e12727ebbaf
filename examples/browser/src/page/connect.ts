import { TryOn } from "@tryon/client";
import { createTryOnSession, type TryOnSession } from "@tryon/client/session";

/** Service of the page: the shop's proxy, or the mock in the page. */
export type Mode = "shop" | "mock";

export async function connect(mode: Mode): Promise<{ tryon: TryOn; session: TryOnSession }> {
  const open = (tryon: TryOn) => ({ tryon, session: createTryOnSession(tryon, { name: mode }) });
  if (mode === "shop") {
    await fetch("/api/visitor", { method: "POST" });
    return open(new TryOn({ proxyUrl: "/api/tryon" }));
  }
  // Visitors of the shop never load the mock.
  const { startMock } = await import("./start-mock.ts");
  const opened = open(new TryOn(await startMock()));
  // The mock loses its jobs on a reload.
  await opened.session.reset();
  return opened;
}
