import { assetPath } from "@tryon/test-kit/repository";
import { describe, expect, test } from "vitest";

import { fittingRoom } from "./testing/fitting-room.ts";
import { button, choose, untilSeen } from "./testing/open-page.ts";

const room = await fittingRoom();

describe.runIf(room.present)("the fitting room with the mock in the page", () => {
  test("takes files to a picture that shows them, and asks no server", async () => {
    const { visit, page, troubles } = await opened();
    const asked: string[] = [];
    // What the service worker answers does not get there.
    await page.context().route("**/api/**", (route) => {
      asked.push(route.request().url());
      return route.continue();
    });
    await choose(page, assetPath("person.jpg"), assetPath("shirt.png"), assetPath("hat.png"));
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");
    const [after, before] = await page.locator(".compare img").evaluateAll((images) =>
      images.map((image) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 30, height: 40 });
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context?.drawImage(image as HTMLImageElement, 0, 0, 30, 40);
        const colour = (x: number, y: number): number[] =>
          [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3);
        return { wall: colour(4, 4), hat: colour(25, 5) };
      }),
    );
    expect(distance(after?.wall, before?.wall)).toBeLessThan(20);
    expect(distance(after?.hat, before?.hat)).toBeGreaterThan(40);
    expect(visit.submissions()).toBe(0);
    expect(asked).toEqual([]);
    expect(troubles()).toEqual([]);
  });

  test("says in words that the content was refused", async () => {
    const { visit, page, troubles } = await opened();
    await choose(page, assetPath("person.jpg"), assetPath("shirt.png"));
    await page.getByLabel(/A wish/).fill("mock:content_blocked");
    await button(page, "Try it on").click();
    await untilSeen(visit, "This cannot be shown");
    expect(troubles()).toEqual([]);
  });

  test("begins anew after a reload, as the mock does, and goes back to the shop", async () => {
    const { visit, page, troubles } = await opened();
    await choose(page, assetPath("person.jpg"), assetPath("shirt.png"));
    await button(page, "Try it on").click();
    await untilSeen(visit, "Dressing you");
    await page.reload();
    await page.getByText("Still missing").waitFor();
    await page.getByText("Your picture appears here.").waitFor();
    await page.getByRole("link", { name: "Shop" }).click();
    await choose(page, assetPath("person.jpg"), assetPath("shirt.png"));
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");
    expect(await visit.charges()).toEqual([-8]);
    expect(troubles()).toEqual([]);
  });
});

function distance(one: readonly number[] = [], other: readonly number[] = []): number {
  return Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
}

/** The page without a server. */
async function opened() {
  const visit = await room.open({ query: "?mock" });
  // The mock reads bodies with zod, which asks once whether it may make code, and takes no for an answer.
  const asked = /'script-src' was not explicitly set/;
  return {
    visit,
    page: visit.page,
    troubles: () => visit.troubles.filter((trouble) => !asked.test(trouble)),
  };
}
