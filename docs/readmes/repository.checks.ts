import type { Checks } from "../code/checks.ts";
import { savesImageAt2K } from "./shared-checks.ts";

export const checks: Checks = { "client.ts": savesImageAt2K };
