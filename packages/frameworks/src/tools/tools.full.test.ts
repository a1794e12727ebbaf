import { runPinned } from "../suites.ts";

runPinned("tools");
