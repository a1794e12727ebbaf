import { runPinned } from "../suites.ts";

runPinned("runners");
