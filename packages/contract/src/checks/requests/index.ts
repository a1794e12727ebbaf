import type { Check } from "../../check.ts";
import { urls } from "./urls.ts";
import { aliases } from "./aliases.ts";
import { authentication } from "./authentication.ts";
import { crossOrigin } from "./cross-origin.ts";
import { discovery } from "./discovery.ts";
import { fieldBounds } from "./field-bounds.ts";
import { keys } from "./keys.ts";
import { largeImages } from "./large-images.ts";
import { listQuery } from "./list-query.ts";
import { outcomeOfContent } from "./outcome-of-content.ts";
import { personAndGarments } from "./person-and-garments.ts";
import { imagesByUrl } from "./images-by-url.ts";
import { imagesSent } from "./images-sent.ts";
import { refusalOrder } from "./refusal-order.ts";
import { refusals } from "./refusals.ts";
import { sizes } from "./sizes.ts";
import { textBounds } from "./text-bounds.ts";
import { waiting } from "./waiting.ts";
import { wording } from "./wording.ts";

/** Keys, addresses, and what a request may be. */
export const requestChecks: readonly Check[] = [
  ...urls,
  ...discovery,
  ...crossOrigin,
  ...authentication,
  ...keys,
  ...personAndGarments,
  ...imagesSent,
  ...imagesByUrl,
  ...aliases,
  ...sizes,
  ...textBounds,
  ...fieldBounds,
  ...waiting,
  ...wording,
  ...refusals,
  ...refusalOrder,
  ...listQuery,
  ...outcomeOfContent,
  ...largeImages,
];
