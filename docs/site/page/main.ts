import { startCopy } from "./copy.ts";
import { startLookSwitch } from "./look-switch.ts";
import { startMenu } from "./menu.ts";
import { startSearch } from "./search.ts";

document.documentElement.classList.add("scripted");
startLookSwitch();
startMenu();
startSearch();
startCopy();
