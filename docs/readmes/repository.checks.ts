import type { Checks } from "../code/checks.ts";
import { savesImageAt2K } from "./saves-image.ts";

export const checks: Checks = { "client.ts": savesImageAt2K };
