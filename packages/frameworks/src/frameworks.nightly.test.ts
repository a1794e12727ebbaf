import { runNewest } from "./suites.ts";

runNewest("frameworks");
