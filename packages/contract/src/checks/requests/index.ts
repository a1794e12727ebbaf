import type { Check } from "../../check.ts";
import { addresses } from "./addresses.ts";
import { aliases } from "./aliases.ts";
import { authentication } from "./authentication.ts";
import { crossOrigin } from "./cross-origin.ts";
import { discovery } from "./discovery.ts";
import { fieldBounds } from "./field-bounds.ts";
import { keys } from "./keys.ts";
import { largePictures } from "./large-pictures.ts";
import { listQuery } from "./list-query.ts";
import { outcomeOfContent } from "./outcome-of-content.ts";
import { personAndGarments } from "./person-and-garments.ts";
import { picturesByAddress } from "./picture-addresses.ts";
import { picturesSent } from "./pictures-sent.ts";
import { refusalOrder } from "./refusal-order.ts";
import { refusals } from "./refusals.ts";
import { sizes } from "./sizes.ts";
import { textBounds } from "./text-bounds.ts";
import { waiting } from "./waiting.ts";
import { wording } from "./wording.ts";

/** Keys, addresses, and what a request may be. */
export const requestChecks: readonly Check[] = [
  ...addresses,
  ...discovery,
  ...crossOrigin,
  ...authentication,
  ...keys,
  ...personAndGarments,
  ...picturesSent,
  ...picturesByAddress,
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
  ...largePictures,
];
