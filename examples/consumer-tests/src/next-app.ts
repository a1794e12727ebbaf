import { AppFolder } from "@tryon/test-kit/app-folder";
import { startChromium, type Page } from "@tryon/test-kit/chromium";
import { freePort } from "@tryon/test-kit/free-port";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { assetPath } from "@tryon/test-kit/repository";
import type { Program } from "@tryon/test-kit/start-program";
import { expect, onTestFinished } from "vitest";

export const hasChromium = await isInstalled("chromium");

export type NextApp = Awaited<ReturnType<typeof startNextApp>>;

/** Copies an example with Next.js, builds it, and serves it. */
export async function startNextApp(
  name: string,
  environment: (url: string) => Readonly<Record<string, string>>,
  prepare?: (example: AppFolder) => Promise<void>,
) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = { NEXT_TELEMETRY_DISABLED: "1", ...environment(url) };
  const example = await AppFolder.copy(name, variables);
  await prepare?.(example);
  await example.run("npm", ["run", "build"]);
  let program: Program;
  const start = async (): Promise<void> => {
    const options = ["--hostname", "127.0.0.1", "--port", String(port)];
    program = example.start("npm", ["start", "--", ...options]);
    await program.waitFor(/Ready in/);
  };
  await start();
  const browser = hasChromium ? await startChromium() : undefined;
  return {
    example,
    port,
    url,
    start,
    kill: () => program.stop("SIGKILL"),
    /** Opens the page in Chromium until the end of the test, and chooses its files. */
    async openPage(garment: string, observe?: (page: Page) => void): Promise<Page> {
      if (browser === undefined) throw new Error("There is no browser.");
      const page = await browser.newPage();
      onTestFinished(() => page.close());
      observe?.(page);
      await page.goto(url);
      await page.getByLabel("You").setInputFiles(assetPath("person.jpg"));
      await page.getByLabel("Garment").setInputFiles(assetPath(garment));
      return page;
    },
    async close(): Promise<void> {
      await browser?.close();
      await program.stop();
      await example.remove();
    },
  };
}

/** Waits for the image of the try-on. */
export async function seeImage(page: Page): Promise<void> {
  const image = page.getByRole("img", { name: "You in the garment" });
  await image.waitFor();
  const width = () => image.evaluate((element) => (element as HTMLImageElement).naturalWidth);
  await expect.poll(width).toBeGreaterThan(0);
}
