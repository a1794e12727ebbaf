import { expect, test } from "vitest";

import { eventOf } from "./delivery.ts";
import { provenVerifier, verifiers } from "./verifiers.ts";

const ofOurs = Object.keys(verifiers).filter((name) => /^(bare |@tryon\/)/.test(name));

test.each(ofOurs)("%s takes what was signed and refuses another", async (name) => {
  await expect(provenVerifier(name, eventOf(300))).resolves.toBeTypeOf("function");
});

test("a verifier that is not known is refused by its name", async () => {
  await expect(provenVerifier("nobody", eventOf(300))).rejects.toThrow("There is no nobody");
});
