import { runPinned } from "./suites.ts";

runPinned("frameworks");
