import { tenth } from "@tryon/test-kit/cases";

import { findsExactly } from "../test/exactly.ts";
import { chosenPlants } from "../test/plants/chosen.ts";

findsExactly(tenth(chosenPlants));
