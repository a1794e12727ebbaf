import { check } from "./resolve-config.ts";

/** Throws `invalid_config` if the runtime of an app lacks what a submission needs. */
export function checkApp(): void {
  // Copying all globals would load each module of React Native.
  const globals = globalThis as Partial<typeof globalThis>;
  check(
    globals.crypto && "getRandomValues" in globals.crypto,
    "This app has no crypto.getRandomValues, which idempotency keys need.",
    "Install react-native-get-random-values, and import it first.",
  );
  for (const name of ["AbortController", "TextEncoder", "btoa"] as const) {
    check(globals[name], `This app has no ${name}.`, "Use React Native 0.79 or newer.");
  }
}
