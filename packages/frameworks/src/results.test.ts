import { checkResults } from "./suites.ts";

for (const name of ["frameworks", "runners", "tools"] as const) checkResults(name);
