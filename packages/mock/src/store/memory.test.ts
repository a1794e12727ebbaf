import { describe } from "vitest";

import { storeSuite } from "../../test/store-suite.ts";
import { MemoryStore } from "./memory.ts";

describe("the store in memory", () => {
  storeSuite(() => new MemoryStore());
});
