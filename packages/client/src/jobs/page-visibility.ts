/** What is used of a page; there is none outside of browsers. */
interface Page {
  readonly visibilityState?: string;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

function page(): Page | undefined {
  // The types of this package know no browser.
  return (globalThis as { readonly document?: Page }).document;
}

/** Whether this is a page that nobody sees. */
export function isHidden(): boolean {
  return page()?.visibilityState === "hidden";
}

/** Tells when the page is shown or hidden, until what comes back is called. */
export function watchVisibility(listener: () => void): () => void {
  const watched = page();
  watched?.addEventListener("visibilitychange", listener);
  return () => watched?.removeEventListener("visibilitychange", listener);
}
