import type { Check } from "../../check.ts";
import { authentication } from "./authentication.ts";

/** Keys, addresses, and what a request may be. */
export const requestChecks: readonly Check[] = [...authentication];
