import {
  firefox,
  type BrowserContextOptions,
  type Locator,
  type Page as FullPage,
} from "playwright-core";

import { startChromium } from "./chromium.ts";
import { findProgram, isInstalled } from "./installed-programs.ts";
import { WebKitBrowser, WebKitPage } from "./webkit.ts";

export type Engine = "chromium" | "firefox" | "webkit";

/** Members of a page that work in every engine. */
export type Page = Pick<
  FullPage,
  | "addInitScript"
  | "close"
  | "evaluate"
  | "goto"
  | "on"
  | "reload"
  | "screenshot"
  | "setViewportSize"
  | "waitForFunction"
> & {
  /** Finds an element by a CSS selector. */
  locator(
    css: string,
  ): Pick<Locator, "click" | "fill" | "isVisible" | "setInputFiles" | "textContent" | "waitFor">;
};

/** Goes back to the page before, which may come from the back/forward cache. */
export async function goBack(page: Page): Promise<void> {
  // WebKit can lose the result of a script that runs while it puts the page into that cache.
  if (page instanceof WebKitPage) await page.goBack();
  // Playwright waits for a load, which a page of that cache does not have.
  else await page.evaluate(() => void setTimeout(() => history.back()));
}

/** Pages with one storage, which no other context has. */
export interface Context<AnyPage = Page> {
  addInitScript(script: () => unknown): Promise<unknown>;
  newPage(): Promise<AnyPage>;
  setDefaultTimeout(timeout: number): void;
  setOffline(isOffline: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Browser<AnyPage = Page> {
  version(): string;
  newContext(options?: BrowserContextOptions): Promise<Context<AnyPage>>;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Host names that the browser resolves to this machine. In WebKit, all are. */
  readonly hosts?: readonly string[];
  /** Preferences of Firefox, such as `privacy.resistFingerprinting`. */
  readonly preferences?: Readonly<Record<string, string | number | boolean>>;
}

const programs = {
  chromium: ["chromium"],
  firefox: ["firefox"],
  webkit: ["webkit", "minibrowser", "xvfb"],
} as const;

const all = ["chromium", "firefox", "webkit"] as const satisfies readonly Engine[];

/**
 * Engines for a test: those of the full set, and all in the nightly set. `TRYON_BROWSERS` selects some, such as
 * "chromium,webkit". One that is not installed is left out; in CI it throws.
 */
export async function installedEngines(
  inFullSet: readonly Engine[] = all,
): Promise<readonly Engine[]> {
  const selected = process.env["TRYON_BROWSERS"]?.split(",") ?? all;
  const wanted = process.env["TRYON_TESTS"] === "nightly" ? all : inFullSet;
  const found = wanted.map(async (name) => {
    if (!selected.includes(name)) return [];
    const installed = await Promise.all(programs[name].map(isInstalled));
    return installed.includes(false) ? [] : [name];
  });
  return (await Promise.all(found)).flat();
}

/** Starts an engine headless. Each context is a private window, except in Firefox without the preference for it. */
export async function startEngine(
  engine: Engine,
  { hosts = [], preferences = {} }: StartOptions = {},
): Promise<Browser> {
  if (engine === "webkit") {
    // It has the members of `Browser` that tests use, with looser types.
    return (await WebKitBrowser.start()) as unknown as Browser;
  }
  if (engine === "chromium") {
    const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`);
    return startChromium(hosts.length > 0 ? [`--host-resolver-rules=${rules.join(",")}`] : []);
  }
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: await findProgram("firefox"),
    firefoxUserPrefs: { "network.dns.localDomains": hosts.join(","), ...preferences },
  });
  acceptMediaFeatures(browser);
  return browser;
}

interface Session {
  send(method: string, params: unknown): Promise<unknown>;
}

/**
 * Lets a context open in Firefox 153, which has no command for media features. Playwright sends it to each context, and
 * no test needs it.
 */
function acceptMediaFeatures(browser: object): void {
  // Playwright has no types of what is behind its objects.
  const { _connection: connection } = browser as {
    _connection: { toImpl(object: object): { ["_browserSession"]: Session } };
  };
  const { ["_browserSession"]: session } = connection.toImpl(browser);
  const send = session.send.bind(session);
  session.send = async (method, params) =>
    method === "emulation.setMediaFeaturesOverride" ? {} : send(method, params);
}
