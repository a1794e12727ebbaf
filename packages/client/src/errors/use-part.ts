import type { Part } from "../types/part.ts";
import { ConnectionError } from "./request-errors.ts";

/**
 * Returns a part of the client, before a request is sent.
 *
 * @throws `connection_failed` if the page cannot load it
 */
export async function usePart<Module>(load: Part<Module>): Promise<Module> {
  const part = await load();
  if (part) return part;
  throw new ConnectionError("connection_failed", "The page could not load a part of the client.", {
    hint: "Nothing was sent: reload the page.",
  });
}
