import { createMock, type Engine, type Mock, type MockOptions } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";
import type {
  Browser,
  BrowserContextOptions,
  Page,
  Request,
  Response as Answer,
} from "playwright-core";
import { openTestPage } from "@tryon/test-kit/test-page";
import { expect, onTestFinished } from "vitest";

import { startShop } from "../server/start-shop.ts";

/** The key of the shop, which no page may ever see. */
export const shopKey = "svc_live_onlyTheServerOfTheShopKnowsThis";

export interface OpenOptions {
  /** The folder of the built pages. */
  readonly pages: string;
  readonly look?: BrowserContextOptions;
  readonly credits?: number;
  readonly mock?: MockOptions;
  /** What stands behind the address. */
  readonly query?: string;
}

/** The page of a shop whose service is a mock on a manual clock. */
export interface Opened {
  readonly page: Page;
  readonly mock: Mock;
  readonly url: string;
  /** What the service was sent, a list for each job: the bytes of the person's photo first. */
  readonly worn: readonly (readonly Uint8Array[])[];
  /** What the page wrote as an error, and what it asked of anybody but the shop and its service. */
  readonly troubles: readonly string[];
  /** Whether the page waits for no answer. */
  readonly isQuiet: () => boolean;
  /** What the page got, as text. */
  readonly received: () => Promise<readonly string[]>;
  /** How often the shop was charged. */
  readonly charges: () => Promise<readonly number[]>;
  /** How many try-ons the service was asked for. */
  readonly submissions: () => number;
}

/** Opens the page in a visit of its own, until the end of the test. */
export async function openPage(browser: Browser, options: OpenOptions): Promise<Opened> {
  const worn: Uint8Array[][] = [];
  const engine = noting(await compositeEngine(), worn);
  const mock = createMock({ clock: "manual", seed: "page", engine, ...options.mock });
  await mock.createKey({ token: shopKey, credits: options.credits ?? 100 });
  const service = await serve(mock);
  const elsewhere = service.url.replace("127.0.0.1", "localhost");
  const shop = await startShop({
    apiKey: shopKey,
    baseUrl: service.url,
    // Some services keep their pictures elsewhere.
    pictures: mock.options.resultsOrigin === "other" ? elsewhere : service.url,
    secret: "a secret of the shop for its tests",
    pages: options.pages,
    onError: () => undefined,
  });
  onTestFinished(async () => {
    await shop.close();
    await service.close();
    mock.close();
  });
  const known = new Set([shop.url, service.url, elsewhere]);
  const { page, problems: troubles } = await openTestPage(
    browser,
    ({ origin, protocol }) => known.has(origin) || protocol === "blob:",
    options.look,
  );
  // The page's own time can be moved on, and goes by as usual in between.
  await page.clock.install();
  const { answers, isQuiet } = watch(page, troubles);
  await page.goto(`${shop.url}/${options.query ?? ""}`);
  await page.getByText("Still missing").waitFor();
  const ledger = async () => (await mock.ledger(shopKey))?.entries ?? [];
  return {
    page,
    mock,
    url: shop.url,
    worn,
    troubles,
    isQuiet,
    received: () => Promise.all(answers.map(textOf)),
    charges: async () =>
      (await ledger()).filter(({ jobId }) => jobId !== undefined).map(({ credits }) => credits),
    submissions: () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" }).length,
  };
}

/**
 * Lets the page's time go by in small steps, and the service's with it, until something is to be seen. It stands still
 * while an answer is on its way: on a busy machine the page would give it up.
 */
export async function untilSeen(
  { page, mock, isQuiet }: Opened,
  text: string | RegExp,
): Promise<void> {
  const seen = page.locator(".stage:not([hidden])").getByText(text).first();
  await expect
    .poll(async () => {
      await mock.clock.advance("1s");
      if (isQuiet()) await page.clock.runFor(1_000);
      return seen.isVisible();
    })
    .toBe(true);
}

/** What visitors press. */
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });

/** Fills the form with pictures: of a person, and of garments. */
export async function choose(page: Page, person: string, ...garments: string[]): Promise<void> {
  await page.locator("[data-field=person] input").setInputFiles(person);
  await page.locator("[data-field=garments] input").setInputFiles(garments);
  await expect.poll(() => page.locator(".pictures li").count()).toBe(1 + garments.length);
}

/** How wide pictures are, 0 for one that has not come. */
export const widths = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));

function noting(engine: Engine, worn: Uint8Array[][]): Engine {
  return {
    name: engine.name,
    render: (request) => {
      const images = [request.person, ...request.garments];
      worn.push(
        images.map((image) => (image.source === "bytes" ? image.bytes() : new Uint8Array())),
      );
      return engine.render(request);
    },
  };
}

function watch(page: Page, troubles: string[]) {
  const answers: Answer[] = [];
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("request", (request) => {
    // The mock in the page has a key, which opens nothing else.
    const inPage = request.url().includes("/tryon-service/");
    if (request.headers()["authorization"] && !inPage) troubles.push(`authorized ${request.url()}`);
  });
  page.on("response", (answer) => answers.push(answer));
  return { answers, isQuiet: () => open.size === 0 };
}

async function textOf(answer: Answer): Promise<string> {
  const headers = JSON.stringify(await answer.allHeaders());
  // Answers without a body have none to give.
  const body = await answer.body().catch(() => Buffer.of());
  return `${answer.url()}\n${headers}\n${body.toString("latin1")}`;
}
