export { prepareImage, type PreparableImage, type PrepareImageOptions } from "./prepare-image.ts";
