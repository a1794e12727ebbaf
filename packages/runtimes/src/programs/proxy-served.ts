import type { ProgramContext } from "./program-context.ts";
import { createUserProxy, runThrough } from "./user-proxy.ts";

/** Makes a try-on over HTTP through a proxy that the runtime itself serves. */
export function run(context: ProgramContext): Promise<unknown> {
  return runThrough(`${context.listen(createUserProxy(context))}/api/tryon`);
}
