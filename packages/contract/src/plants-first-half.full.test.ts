import { findsExactly } from "./testing/exactly.ts";
import { chosenPlants } from "./testing/plants/chosen.ts";

findsExactly(chosenPlants.slice(0, 29));
