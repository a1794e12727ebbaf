import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // The flag adds this function to every new context.
  (runInNewContext("gc") as () => void)();
}
