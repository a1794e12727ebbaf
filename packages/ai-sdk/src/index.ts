export { createImageModel, type ImageModelOptions } from "./image-model.ts";
export type { ProviderOptions } from "./read-call.ts";
