export { compositeEngine } from "../engine/composite/composite.ts";
export { serve } from "./serve.ts";
export type { ServeOptions, Serving } from "./serve.ts";
