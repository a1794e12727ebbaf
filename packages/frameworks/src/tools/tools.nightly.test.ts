import { runNewest } from "../suites.ts";

runNewest("tools");
