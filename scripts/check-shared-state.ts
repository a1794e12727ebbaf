import { afterAll, vi } from "vitest";

/** Values of everything that files share: globals, methods of the console, environment, listeners and folder. */
function sharedState(): Map<string, unknown> {
  const state = new Map<string, unknown>([["process.cwd()", process.cwd()]]);
  const { subtle } = crypto;
  const parts = { globalThis, console, Math, Date, JSON, crypto, subtle, performance };
  for (const [part, object] of Object.entries(parts))
    for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(object)))
      // Node defines getters on first use. Libraries keep their registries in globals of this prefix.
      if ("value" in own && !name.startsWith("__")) state.set(`${part}.${name}`, own.value);
  for (const [name, value] of Object.entries(process.env)) state.set(`process.env.${name}`, value);
  // sharp sets this one when it is imported.
  state.delete("process.env.VIPSHOME");
  for (const event of ["uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM"])
    state.set(`listeners of ${event}`, process.listenerCount(event));
  return state;
}

const before = sharedState();

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  const after = sharedState();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !Object.is(before.get(name), after.get(name)),
  );
  if (changed.length > 0)
    throw new Error(
      `This file leaves ${changed.join(", ")} changed, and other files run in the same process. Restore it in afterEach or onTestFinished.`,
    );
});
