/** Used members of a browser's `document`. Other runtimes have none. */
interface Page {
  readonly visibilityState?: string;
  addEventListener(type: "visibilitychange", listener: () => void): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

function page(): Page | undefined {
  // The package compiles without the types of browsers.
  return (globalThis as { readonly document?: Page }).document;
}

/** Returns true in a hidden page. */
export function isHidden(): boolean {
  return page()?.visibilityState === "hidden";
}

/** Adds a listener for changes of the visibility. Returns a function that removes it. */
export function watchVisibility(listener: () => void): () => void {
  const watched = page();
  watched?.addEventListener("visibilitychange", listener);
  return () => watched?.removeEventListener("visibilitychange", listener);
}
