import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";
import { hasChromium, openPage, untilShown } from "../code/shop-page.ts";

export const checks: Checks = {
  "try-on.ts": async (context) => {
    expect(context.snippet.code).toContain("createTryOnSession");
    if (!hasChromium) return;
    const find = 'const [file, status, result] = ["input", "output", "img"]';
    const elements = `${find}.map((name) => document.querySelector(name)) as never[];`;
    const { page, charges } = await openPage(
      context,
      `${elements}\nshowTryOn(file as never, status as never, result as never);`,
    );
    await page.locator("input").setInputFiles(context.app.path("me.jpg"));
    await untilShown(page, "img");
    await page.reload();
    await untilShown(page, "img");
    expect(await charges()).toBe(1);
  },
  "try-on-button.tsx": async (context) => {
    expect(context.snippet.code).toContain("useTryOn");
    if (!hasChromium) return;
    const { page, charges } = await openPage(
      context,
      `import { createRoot } from "react-dom/client";
      const photo = new File([await (await fetch("/me.jpg")).blob()], "me.jpg", { type: "image/jpeg" });
      const element = document.querySelector("main") as HTMLElement;
      createRoot(element).render(<TryOnButton shirt="https://shop.example/shirt.png" photo={photo} />);`,
    );
    await page.locator("main button", { hasText: "Try it on" }).click();
    await untilShown(page, "main img");
    await page.reload();
    await untilShown(page, "main img");
    expect(await charges()).toBe(1);
  },
  "messages.ts": async ({ run, snippet }) => {
    const output = await run(`${snippet.code}
      const started = { startedAt: Date.now(), person: undefined, isSaved: "all" };
      const error = { code: "rate_limited", message: "", isContentBlocked: false, retryAfter: 170 } as const;
      for (const state of [
        { ...started, status: "waiting", jobId: "job_1", jobStatus: "running" },
        { ...started, status: "failed", error, canResume: true, jobId: undefined },
        { ...started, status: "interrupted" },
      ] as const) {
        const [status, resume] = [{} as HTMLElement, {} as HTMLElement];
        showMessage(state, status, resume);
        console.log(status.textContent, resume.hidden);
      }`);
    expect(output.trim().split("\n")).toEqual([
      "Dein Bild entsteht. Das dauert oft bis zu 30 Sekunden. true",
      "Bitte versuche es in 3 Minuten noch einmal. false",
      "You stopped waiting. Continue to get your image. false",
    ]);
  },
  "account.ts": async (context) => {
    expect(context.snippet.code).toContain("resetAll");
    if (!hasChromium) return;
    const { page } = await openPage(
      context,
      `import { TryOn as Client } from "@tryon/client";
      const tryon = new Client({ proxyUrl: "/api/tryon" });
      const person = await (await fetch("/me.jpg")).blob();
      // The page of the sign-out has the same script.
      for (const sku of location.pathname === "/" ? ["shirt", "coat"] : []) {
        const session = openSession(tryon, sku, { id: "ada" });
        await session.start({ person, garments: ["https://shop.example/shirt.png"] });
      }
      document.querySelector("button")!.onclick = signOut;
      document.title = "Ready";`,
    );
    await expect.poll(() => page.title()).toBe("Ready");
    const savedTryOns = (): Promise<number> =>
      page.evaluate(async () => {
        const opening = indexedDB.open("tryon-session");
        await new Promise((resolve) => opening.addEventListener("success", resolve));
        const count = opening.result.transaction("try-ons").objectStore("try-ons").count();
        await new Promise((resolve) => count.addEventListener("success", resolve));
        return count.result;
      });
    expect(await savedTryOns()).toBe(2);
    await page.locator("button").click();
    await page.waitForURL("**/sign-out");
    expect(await savedTryOns()).toBe(0);
  },
};
