import { resultSuite } from "../suites.ts";
import results from "./results.json" with { type: "json" };
import { resultOf } from "./runners-page.ts";
import { runners } from "./runners.ts";

resultSuite(results, runners, resultOf, (runner) => runner.note?.endsWith(".") ?? false);
