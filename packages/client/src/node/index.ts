export { diagnostics, type RequestMessage } from "./diagnostics.ts";
export type { JobMessage } from "./job-tracer.ts";
export { prepareImage } from "./prepare-with-sharp.ts";
export { toNodeHandler } from "./to-node-handler.ts";
export { openJournal, type FileJournal } from "./journal/file-journal.ts";
export type { PreparableImage, PrepareImageOptions } from "../photos/prepare-image.ts";
export {
  storeImage,
  type StoredImage,
  type StoreOptions,
  type StoreTarget,
} from "./store-image.ts";
