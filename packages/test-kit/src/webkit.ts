import { EventEmitter } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { Builder, By, type WebDriver, type WebElement } from "selenium-webdriver";

import { freePort } from "./free-port.ts";
import { findProgram } from "./installed-programs.ts";
import { startProgram, type Program } from "./start-program.ts";
import { startProxy } from "./webkit-proxy.ts";

/** Maximum time of one command, in milliseconds: those of the other pages wait for it. */
const slice = 25;
/** Maximum time until an element or a condition exists, in milliseconds. */
const timeout = 20_000;

type Script = string | ((argument: never) => unknown);

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Payload {
  readonly name: string;
  readonly buffer: Buffer;
}

const callOf = (script: Script): string =>
  typeof script === "string" ? `(${script})` : `(${String(script)})(...JSON.parse(arguments[0]))`;

/** WebKitGTK by WebDriver, with the members of Playwright that the tests of several engines use. */
export class WebKitBrowser {
  readonly #display: Program;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #contexts: WebKitContext[];
  readonly #version: string;
  /** Context that was started for its version. */
  #spare: WebKitContext | undefined;

  private constructor(
    display: Program,
    env: Record<string, string | undefined>,
    first: WebKitContext,
  ) {
    [this.#display, this.#env, this.#spare] = [display, env, first];
    [this.#contexts, this.#version] = [[first], first.version];
  }

  static async start(): Promise<WebKitBrowser> {
    const args = ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"];
    const display = startProgram(await findProgram("xvfb"), args);
    const [number] = await display.waitFor(/^\d+$/m);
    // The sandbox needs namespaces, which a container does not have.
    const own = { DISPLAY: `:${number}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" };
    const env = { ...process.env, ...own };
    return new WebKitBrowser(display, env, await WebKitContext.start(env));
  }

  version(): string {
    return this.#version;
  }

  /** Starts another process, because all windows of one share their storage. */
  async newContext({ viewport }: { viewport?: Size } = {}): Promise<WebKitContext> {
    const context = this.#spare ?? (await WebKitContext.start(this.#env));
    this.#spare = undefined;
    this.#contexts.push(context);
    if (viewport) context.viewport = viewport;
    return context;
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.#display.stop();
  }
}

/** A private window: in WebKitGTK, WebDriver starts no other. */
class WebKitContext {
  readonly version: string;
  viewport: Size = { width: 1280, height: 720 };
  readonly scripts: string[] = [];
  readonly #program: Program;
  readonly #driver: WebDriver;
  readonly #proxy: Awaited<ReturnType<typeof startProxy>>;
  readonly #pages: WebKitPage[];
  #folder: string | undefined;
  #closing: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Window without a page. The first has no tool bars, so that it can be as narrow as a phone. */
  #spare: string | undefined;
  /** Page of the last command, which is the one that loads a document. */
  #current: WebKitPage | undefined;

  private constructor(
    program: Program,
    driver: WebDriver,
    version: string,
    pages: WebKitPage[],
    proxy: Awaited<ReturnType<typeof startProxy>>,
  ) {
    [this.#program, this.#driver, this.version] = [program, driver, version];
    [this.#pages, this.#proxy] = [pages, proxy];
  }

  static async start(env: Readonly<Record<string, string | undefined>>): Promise<WebKitContext> {
    const pages: WebKitPage[] = [];
    const proxy = await startProxy({
      pageOf: () => pages.findIndex((page) => page === context.#current),
      scriptsOf: (page) => [...context.scripts, ...(pages[page]?.scripts ?? [])],
      onRequest: (method, url) => {
        for (const page of pages) page.emit("request", { method: () => method, url: () => url });
      },
      onProblem: (page, type, text) => {
        if (type === "pageerror") pages[page]?.emit(type, new Error(text));
        else {
          const message = { type: () => type, text: () => text, location: () => ({ url: "" }) };
          pages[page]?.emit("console", message);
        }
      },
    });
    const port = await freePort();
    // The browser is a process of the driver's group.
    const options = { env, detached: true };
    const program = startProgram(await findProgram("webkit"), [`--port=${port}`], options);
    const url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/status`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await setTimeout(10);
    const args = ["--automation", "--full-screen"];
    const driver = await new Builder()
      .usingServer(url)
      .withCapabilities({
        browserName: "MiniBrowser",
        proxy: { proxyType: "manual", httpProxy: `127.0.0.1:${proxy.port}` },
        "webkitgtk:browserOptions": { binary: await findProgram("minibrowser"), args },
      })
      .build();
    const version = (await driver.getCapabilities()).getBrowserVersion() ?? "";
    const context = new WebKitContext(program, driver, version, pages, proxy);
    context.#spare = await driver.getWindowHandle();
    return context;
  }

  pages(): readonly WebKitPage[] {
    return this.#pages.filter((page) => !page.isClosed());
  }

  async addInitScript(script: () => unknown): Promise<void> {
    this.scripts.push(`(${String(script)})();`);
  }

  setDefaultTimeout(): void {
    // It is a constant.
  }

  async setOffline(isOffline: boolean): Promise<void> {
    this.#proxy.isOffline = isOffline;
  }

  async newPage(): Promise<WebKitPage> {
    return this.#inTurn(async () => {
      const page = new WebKitPage(this, this.#spare ?? (await this.#openWindow()));
      this.#spare = undefined;
      this.#pages.push(page);
      await this.#driver.switchTo().window(page.handle);
      await this.#driver
        .manage()
        .window()
        .setRect({ x: 0, y: 0, ...this.viewport });
      return page;
    });
  }

  closePage(page: WebKitPage): Promise<void> {
    return this.command(page, async (driver) => {
      // The last window ends the session.
      if (this.pages().length === 0) this.#spare ??= await this.#openWindow();
      await driver.switchTo().window(page.handle);
      await driver.close();
    });
  }

  async #openWindow(): Promise<string> {
    // The command needs a window, and the last one may be closed.
    const [any = ""] = await this.#driver.getAllWindowHandles();
    await this.#driver.switchTo().window(any);
    // A tab would be hidden.
    await this.#driver.switchTo().newWindow("window");
    return this.#driver.getWindowHandle();
  }

  /** Writes a file until the context is closed, since an input reads it late. */
  async pathsOf(files: string | readonly string[] | Payload): Promise<readonly string[]> {
    if (typeof files === "string" || !("buffer" in files)) return [files].flat();
    this.#folder ??= await mkdtemp(join(tmpdir(), "tryon-files-"));
    const path = join(this.#folder, files.name);
    await writeFile(path, files.buffer);
    return [path];
  }

  /** Runs one command at a time, since the driver has one current window. */
  command<Result>(page: WebKitPage, work: (driver: WebDriver) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#driver.switchTo().window(page.handle);
      this.#current = page;
      return work(this.#driver);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    for (const page of this.#pages) page.forget();
    await this.#inTurn(() => this.#driver.quit()).catch(() => undefined);
    await this.#program.stop();
    this.#proxy.close();
    if (this.#folder) await rm(this.#folder, { recursive: true });
  }
}

export class WebKitPage extends EventEmitter {
  readonly handle: string;
  readonly scripts: string[] = [];
  readonly #context: WebKitContext;
  #isClosed = false;

  constructor(context: WebKitContext, handle: string) {
    super();
    [this.#context, this.handle] = [context, handle];
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  forget(): void {
    this.#isClosed = true;
  }

  #command<Result>(work: (driver: WebDriver) => Promise<Result>): Promise<Result> {
    return this.#context.command(this, work);
  }

  async addInitScript(script: () => unknown): Promise<void> {
    this.scripts.push(`(${String(script)})();`);
  }

  goto(url: string): Promise<void> {
    return this.#command((driver) => driver.get(url));
  }

  reload(): Promise<void> {
    return this.#command((driver) => driver.navigate().refresh());
  }

  goBack(): Promise<void> {
    return this.#command((driver) => driver.navigate().back());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#context.closePage(this);
  }

  /** Runs a script in slices, so that a script that waits holds up no other page. Values and results are JSON. */
  async evaluate(script: Script, argument?: unknown): Promise<unknown> {
    // The script must not find these names instead of the page's own.
    const start = `const $runs = globalThis[Symbol.for("runs")] ??= [], $run = {}, $id = $runs.push($run) - 1;
      $run.work = (async () => ${callOf(script)})().then(
        (value) => ($run.end = { value: JSON.stringify(value) ?? null }),
        (error) => ($run.end = { error: String(error) }));`;
    const resume = `const [$id] = arguments, $run = globalThis[Symbol.for("runs")]?.[$id]
      ?? { end: { error: "The document was replaced." } };`;
    const wait = `const $done = arguments[arguments.length - 1];
      Promise.race([$run.work, new Promise((resolve) => setTimeout(resolve, ${slice}))])
        .then(() => $done($run.end ?? { id: $id }));`;
    const step = (code: string, given: unknown) =>
      this.#command((driver) =>
        driver.executeAsyncScript<{ value?: string | null; error?: string; id?: number }>(
          code + wait,
          given,
        ),
      );
    let { id, value, error } = await step(start, JSON.stringify([argument]));
    while (id !== undefined) ({ id, value, error } = await step(resume, id));
    if (error !== undefined) throw new Error(`page.evaluate: ${error}`);
    return typeof value === "string" ? JSON.parse(value) : undefined;
  }

  async waitForFunction(script: Script, argument?: unknown): Promise<void> {
    // A document that is replaced rejects.
    await this.#until(`${String(script)} is true`, () =>
      this.evaluate(`(async () => Boolean(await ${callOf(script)}))()`, argument).catch(
        () => false,
      ),
    );
  }

  locator(selector: string) {
    const element = (work: (element: WebElement) => Promise<unknown>): Promise<void> =>
      this.#until(`${selector} exists and is enabled`, () =>
        this.#command(async (driver) => {
          const [found] = await driver.findElements(By.css(selector));
          return found !== undefined && (await work(found)) !== false;
        }),
      );
    return {
      // As Playwright does in the other engines: a button can be disabled until its script has run.
      click: () => element(async (found) => (await found.isEnabled()) && found.click()),
      fill: (text: string) =>
        element(async (found) => {
          await found.clear();
          await found.sendKeys(text);
        }),
      setInputFiles: async (files: string | readonly string[] | Payload) => {
        const paths = await this.#context.pathsOf(files);
        await element((found) => found.sendKeys(paths.join("\n")));
      },
      textContent: () =>
        this.evaluate((css: string) => document.querySelector(css)?.textContent, selector),
      isVisible: async (): Promise<boolean> =>
        (await this.evaluate(
          (css: string) => document.querySelector(css)?.checkVisibility(),
          selector,
        )) === true,
      waitFor: () =>
        this.waitForFunction(
          (css: string) => document.querySelector(css)?.checkVisibility(),
          selector,
        ),
    };
  }

  setViewportSize(size: Size): Promise<unknown> {
    return this.#command((driver) =>
      driver
        .manage()
        .window()
        .setRect({ x: 0, y: 0, ...size }),
    );
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.#command((driver) => driver.takeScreenshot()), "base64");
  }

  async #until(what: string, isTrue: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + timeout;
    while (!(await isTrue())) {
      if (Date.now() > deadline) throw new Error(`Within ${timeout} ms: ${what}.`);
      await setTimeout(slice);
    }
  }
}
