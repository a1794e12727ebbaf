// `prepareImage` of a page, which loads its code with the first call. `imports` of package.json selects it.
import { ConnectionError } from "@tryon/client";

import type * as Canvas from "./prepare-with-canvas.ts";

export const prepareImage: typeof Canvas.prepareImage = async (...given) => {
  const loading = import("./prepare-with-canvas.ts").catch((cause: unknown) => {
    const hint = "Reload the page, or send the photo as it is.";
    const message = "The page could not load the code that prepares photos.";
    throw new ConnectionError("connection_failed", message, { hint, cause });
  });
  return (await loading).prepareImage(...given);
};
