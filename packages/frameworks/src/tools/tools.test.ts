import { resultSuite } from "../suites.ts";
import results from "./results.json" with { type: "json" };
import { resultOf } from "./tools-page.ts";
import { tools } from "./tools.ts";

resultSuite(results, tools, resultOf, ({ notes }, check) => notes?.[check]?.endsWith(".") ?? false);
