import { vi } from "vitest";

/** Lets the rest of a test run as in a browser, which has the Web Cryptography API alone. */
export function withoutNodeCrypto(): void {
  const getBuiltinModule = process.getBuiltinModule.bind(process);
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:crypto" ? undefined : getBuiltinModule(name),
  );
}
