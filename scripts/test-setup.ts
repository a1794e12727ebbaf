import { seed } from "@tryon/test-kit/cases";
import { configureGlobal } from "fast-check";

// Property tests draw the same cases on each run, except where the seed of the run is a new one.
configureGlobal({ seed });
