import { shownPages } from "./pages.ts";
import { programsOf, runs } from "./running.ts";

runs(programsOf(await shownPages()).filter(({ slow }) => slow));
