import type { Checks } from "../code/checks.ts";
import { savesAPictureAt2K } from "./picture-check.ts";

export const checks: Checks = { "client.ts": savesAPictureAt2K };
