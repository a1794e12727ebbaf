import { tenth } from "@tryon/test-kit/cases";

import { findsExactly } from "../test/exactly.ts";
import { chosenMutants } from "../test/mutants/chosen.ts";

findsExactly(tenth(chosenMutants));
