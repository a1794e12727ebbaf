import { ConnectionError } from "@tryon/client";

/** Loads the code that prepares photos. Rejects with `connection_failed` if the page cannot load it. */
export function loadCanvas() {
  return import("./prepare-with-canvas.ts").catch((cause: unknown) => {
    const hint = "Reload the page, or send the photo as it is.";
    const message = "The page could not load the code that prepares photos.";
    throw new ConnectionError("connection_failed", message, { hint, cause });
  });
}
