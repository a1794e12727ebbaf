import { readFile } from "node:fs/promises";
import { assetPath } from "@tryon/test-kit/repository";
import { expect, test, describe } from "vitest";

import { fittingRoom } from "./testing/fitting-room.ts";
import { button, choose, untilSeen } from "./testing/open-page.ts";
import { fileOf } from "./testing/picture-files.ts";

const room = await fittingRoom();
const person = assetPath("person.jpg");
const shirt = assetPath("shirt.png");

describe.runIf(room.present)("choosing pictures", () => {
  test("refuses what is no picture in words, before anything is sent", async () => {
    const visit = await room.open();
    const { page, submissions, troubles } = visit;
    const html = await fileOf("me.jpg", "<!doctype html><title>Not found</title>");
    const empty = await fileOf("empty.png", "");
    const archive = await fileOf("photo.png", Uint8Array.of(0x50, 0x4b, 3, 4, 200, 201, 202));
    const huge = await fileOf(
      "huge.png",
      Buffer.concat([Uint8Array.of(0x89), Buffer.from("PNG"), Buffer.alloc(10_600_000)]),
    );
    const input = page.locator("[data-field=person] input");
    const problem = page.locator("[data-field=person]").getByRole("alert");
    for (const [file, words] of [
      [html, "“me.jpg” is no picture, whatever its name says. Choose a JPEG,"],
      [empty, "“empty.png” is empty. Choose another file."],
      [archive, "“photo.png” is no picture that we know. Choose a JPEG,"],
      [huge, "“huge.png” is too big: up to 10 MB. Choose a smaller one."],
    ] as const) {
      await input.setInputFiles(file);
      await problem.getByText(words).waitFor();
    }
    expect(await page.locator(".pictures li").count()).toBe(0);
    expect(await button(page, "Try it on").isDisabled()).toBe(true);
    // The right file takes the refusal away.
    await input.setInputFiles(person);
    await expect.poll(() => problem.isHidden()).toBe(true);
    await page.getByText("Still missing: a garment.").waitFor();
    expect(submissions()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test("takes dropped files and samples, has room for three garments, and gives memory back", async () => {
    const { page, troubles } = await room.open();
    await page.evaluate(() => {
      const alive = new Set<string>();
      const [create, revoke] = [URL.createObjectURL.bind(URL), URL.revokeObjectURL.bind(URL)];
      URL.createObjectURL = (blob) => {
        const url = create(blob);
        alive.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        alive.delete(url);
        revoke(url);
      };
      Object.assign(globalThis, { alive });
    });
    const alive = () => page.evaluate("alive.size");
    const bytes = [...(await readFile(shirt))];
    const dropped = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(content)], "mine.png", { type: "image/png" }));
      return transfer;
    }, bytes);
    const field = page.locator("[data-field=garments]");
    await field.dispatchEvent("drop", { dataTransfer: dropped });
    await field.getByRole("img", { name: "mine.png" }).waitFor();
    await button(page, "Take the sample: a jacket").click();
    await button(page, "Take the sample: a hat").click();
    await expect.poll(() => field.locator("li").count()).toBe(3);
    await button(page, "Take the sample: a shirt").click();
    await field.getByText("“a shirt” has no room: take one off first.").waitFor();
    expect(await alive()).toBe(3);
    await button(page, "Remove a jacket").click();
    await expect.poll(() => field.locator("li").count()).toBe(2);
    expect(await alive()).toBe(2);
    // Another photo takes the place of the one before.
    await button(page, "Take the sample: a person").click();
    await page.locator("[data-field=person]").getByRole("img", { name: "a person" }).waitFor();
    await button(page, "Take the sample: a person").click();
    await expect.poll(alive).toBe(3);
    expect(troubles).toEqual([]);
  });

  test("takes what was chosen before the page was ready", async () => {
    const { page, troubles } = await room.open();
    const ready = Promise.withResolvers<void>();
    await page.route("**/api/visitor", async (route) => {
      await ready.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator("[data-field=person] input").setInputFiles(person);
    ready.resolve();
    await page.getByRole("img", { name: "person.jpg" }).waitFor();
    await page.getByText("Still missing: a garment.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("makes a heavy photo lighter before it is sent", async () => {
    const visit = await room.open();
    const noise = await heavyPhoto();
    expect(noise.length).toBeGreaterThan(3_000_000);
    await choose(visit.page, await fileOf("heavy.png", noise), shirt);
    await button(visit.page, "Try it on").click();
    await untilSeen(visit, "Download");
    const [photo = new Uint8Array()] = visit.worn[0] ?? [];
    expect(photo.length).toBeLessThan(noise.length);
    expect(Buffer.from(photo.subarray(8, 12)).toString()).toBe("WEBP");
    expect(visit.troubles).toEqual([]);
  });
});

/** A photo that no encoder makes small. */
async function heavyPhoto(): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  const [width, height] = [1_200, 1_600];
  const pixels = Buffer.alloc(width * height * 3);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    pixels[at] = state >> 16;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
