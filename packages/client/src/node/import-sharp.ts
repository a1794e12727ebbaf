import type { SharpConstructor } from "sharp";

/** Loads sharp. The comment keeps bundlers from resolving it: it has files for the platform, and is optional. */
export async function loadSharp(): Promise<SharpConstructor> {
  return (await import(/* webpackIgnore: true */ "sharp")).default;
}
