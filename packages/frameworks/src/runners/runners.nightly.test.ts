import { runNewest } from "../suites.ts";

runNewest("runners");
