import { expect, it, vi } from "vitest";

import { photos } from "../../test/photos.ts";
import { prepareImage } from "../node/index.ts";

it("names the command that installs sharp, if it is missing", async () => {
  const photo = await photos["baseline JPEG"]();
  vi.doMock("sharp", () => {
    throw new Error("Cannot find package 'sharp'");
  });
  await expect(prepareImage(photo)).rejects.toMatchObject({
    code: "invalid_config",
    message: "prepareImage needs the package sharp in Node, Bun and Deno. Run npm install sharp.",
  });
});
