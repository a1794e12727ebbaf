// Part of the client that a page loads with the first failure of a request, and the first stream of an image.
export { explainOutcome } from "../http/explain-outcome.ts";
export { describeImage, streamOf } from "../images/image-part.ts";
