import type { Browser, Page } from "@tryon/test-kit/browsers";
import { openTestPage } from "@tryon/test-kit/test-page";
import { bundlePage } from "./browser.ts";
import { profile, shirtUrl } from "./service.ts";
import { addStore, startShop } from "./session-shop.ts";

/** Script of the page. `show` renders components by id, and by name and user of the session, in React's strict mode. */
const script = `
  import { Activity, createElement as h, StrictMode, useEffect, useState } from "react";
  import { createRoot, hydrateRoot } from "react-dom/client";
  import { useTryOn } from "@tryon/client/react";
  import { PageClient } from "@tryon/client/session";

  const tryon = new PageClient({ baseUrl: "/api/tryon", pollInterval: 100 });
  function ResultImage({ image }) {
    const [src, setSrc] = useState();
    useEffect(() => {
      const url = URL.createObjectURL(image);
      setSrc(url);
      return () => URL.revokeObjectURL(url);
    }, [image]);
    return src && h("img", { src });
  }
  function Look({ id, name, user }) {
    const look = useTryOn(tryon, { name, user });
    const start = async () => {
      const person = await (await fetch("/photo.jpg")).blob();
      look.start({ person, garments: [${JSON.stringify(shirtUrl)}] });
    };
    return h("section", { id },
      h("output", null, look.status),
      h("button", { name: "Start", onClick: start }, "Start"),
      h("button", { name: "Stop", onClick: look.cancelWait }, "Stop"),
      h("button", { name: "Resume", onClick: look.resume }, "Resume"),
      h("button", { name: "Delete", onClick: look.reset }, "Delete"),
      look.status === "succeeded" && h(ResultImage, { image: look.image }));
  }
  const tree = (looks) =>
    h(StrictMode, null, looks.map(([id, name, mode, user]) => mode
      ? h(Activity, { key: id, mode }, h(Look, { id, name, user }))
      : h(Look, { key: id, id, name, user })));
  const first = JSON.parse(document.body.dataset.looks);
  const element = document.querySelector("main");
  const isRendered = element.hasChildNodes();
  const root = isRendered ? hydrateRoot(element, tree(first)) : createRoot(element);
  if (!isRendered) root.render(tree(first));
  globalThis.show = (looks) => root.render(tree(looks));`;

/** Bundles the page with the development build of React, which reports mistakes to the console. */
export function bundleReactPage(): Promise<Uint8Array> {
  return bundlePage(script, { define: { "process.env.NODE_ENV": '"development"' } });
}

/** Components of the page: each with its id, the name of its session, the mode of an `Activity` around it, and the user. */
export type Looks = readonly (readonly [
  id: string,
  name?: string,
  mode?: "visible" | "hidden",
  user?: string,
])[];

/** Opens a page with these components, in front of a proxy and a mock with a manual clock. */
export async function openReactPage(
  browser: Browser,
  bundle: Uint8Array,
  looks: Looks,
  markup = "",
) {
  const document = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title>
<body data-looks='${JSON.stringify(looks)}'><main>${markup}</main>
<script type="module" src="/page.js"></script>`;
  const shop = await startShop(bundle, document, { profile });
  const { url, serviceUrl } = shop;
  // The other profile serves results at another origin.
  const origins = new Set([url, serviceUrl, serviceUrl.replace("127.0.0.1", "localhost")]);
  const { page, problems } = await openTestPage(
    browser,
    ({ origin, protocol }) => origins.has(origin) || /^(blob|data):$/.test(protocol),
  );
  await page.addInitScript(addStore);
  await page.goto(url);
  await page.waitForFunction("globalThis.show");
  return Object.assign(shop, {
    page,
    problems,
    /** Renders these components instead of the ones before. */
    show: (next: Looks): Promise<void> =>
      page.evaluate((given) => {
        (globalThis as unknown as { show: (looks: Looks) => void }).show(given);
      }, next),
  });
}

export const click = (page: Page, id: string, name: string): Promise<void> =>
  page.locator(`#${id} button[name=${name}]`).click();
