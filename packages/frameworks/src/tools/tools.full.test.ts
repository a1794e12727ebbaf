import { pinnedSuite } from "../suites.ts";
import { runTool } from "./run-tool.ts";
import { resultOf } from "./tools-page.ts";
import { tools } from "./tools.ts";

pinnedSuite(tools, runTool, resultOf);
