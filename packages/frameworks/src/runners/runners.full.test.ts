import { pinnedSuite } from "../suites.ts";
import { runRunner } from "./run-runner.ts";
import { resultOf } from "./runners-page.ts";
import { runners } from "./runners.ts";

pinnedSuite(runners, runRunner, resultOf);
