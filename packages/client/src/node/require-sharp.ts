import { createRequire } from "node:module";
import type { SharpConstructor } from "sharp";

/** Loads sharp in CommonJS, without a `require` that bundlers resolve: without sharp, webpack would fail. */
export async function loadSharp(): Promise<SharpConstructor> {
  // sharp is a CommonJS module, whose value is the function.
  return createRequire(__filename)("sharp") as SharpConstructor;
}
