import { tenth } from "@tryon/test-kit/cases";

import { findsExactly } from "./testing/exactly.ts";
import { chosenPlants } from "./testing/plants/chosen.ts";

findsExactly(tenth(chosenPlants));
