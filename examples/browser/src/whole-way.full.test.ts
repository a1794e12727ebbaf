import { readFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { assetPath } from "@tryon/test-kit/repository";
import { expect, test, describe } from "vitest";

import { fittingRoom } from "./testing/fitting-room.ts";
import { button, choose, shopKey, untilSeen, widths, type Opened } from "./testing/open-page.ts";
import { fileOf } from "./testing/picture-files.ts";

const room = await fittingRoom();
const person = assetPath("person.jpg");
const shirt = assetPath("shirt.png");
const jacket = assetPath("jacket.webp");
const hat = assetPath("hat.png");
const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe.runIf(room.present)("the whole way through the fitting room", () => {
  test("takes files to a picture that can be compared and downloaded, and never sees the key", async () => {
    const visit = await room.open();
    const { page, worn, charges, troubles } = visit;
    await choose(page, person, shirt, jacket, hat);
    await expect.poll(() => widths(page, ".pictures img")).toEqual([900, 800, 800, 800]);
    await page.getByRole("radio", { name: "Medium" }).check();
    await page.getByLabel(/A wish/).fill("evening light");
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");

    const files = await Promise.all([person, shirt, jacket, hat].map((path) => readFile(path)));
    expect(worn.map((images) => images.map(digest))).toEqual([files.map(digest)]);
    expect(await charges()).toEqual([-12]);

    const compare = page.locator(".compare");
    await expect.poll(() => widths(page, ".compare img")).toEqual([1_536, 900]);
    const slider = page.getByRole("slider");
    const shareBefore = () => compare.evaluate((root) => root.style.getPropertyValue("--before"));
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await shareBefore()).toBe("23%");
    expect(await slider.getAttribute("aria-valuetext")).toBe("23% before");
    const box = await compare.boundingBox();
    if (box === null) throw new Error("The comparison is not to be seen.");
    await page.mouse.click(box.x + box.width * 0.2, box.y + box.height / 2);
    expect(await shareBefore()).toBe("20%");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("try-on.png");
    const saved = await readFile(await download.path());
    expect(saved.subarray(1, 4).toString()).toBe("PNG");
    expect([saved.readUInt32BE(16), saved.readUInt32BE(20)]).toEqual([1_536, 2_048]);
    expect(digest(saved)).toBe(digest(await madePicture(visit)));

    const received = (await visit.received()).join("\n");
    // Everything is there: the page, its code, the answers about the job, and the picture.
    for (const part of ["<title>Fitting room", "Dressing you", '"succeeded"', "PNG"]) {
      expect(received.includes(part)).toBe(true);
    }
    expect(received.includes(shopKey)).toBe(false);
    expect(received.match(/svc_(live|test)_\w+/g)).toBeNull();
    expect(troubles).toEqual([]);
  });

  test("goes the whole way also where the service is otherwise in everything that it leaves open", async () => {
    const visit = await room.open({ mock: { profile: "contrary" } });
    const { page, charges, troubles } = visit;
    await choose(page, person, shirt);
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");
    await expect.poll(() => widths(page, ".compare img")).toEqual([768, 900]);
    expect(await charges()).toEqual([-8]);
    expect(troubles).toEqual([]);
  });

  test("tells the time that has gone by, and more when it is long", async () => {
    const visit = await begun();
    await visit.page.getByText("Usually 10–30 seconds.").waitFor();
    await visit.page.clock.runFor(45_000);
    await visit.page.getByText("A little longer than usual; it is still being made.").waitFor();
    await visit.page.locator(".elapsed", { hasText: /^0:4\d$/ }).waitFor();
    expect(visit.troubles).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "fits a small phone in a %s scheme",
    async (colorScheme) => {
      const look = {
        colorScheme,
        viewport: { width: 360, height: 740 },
        isMobile: true,
        hasTouch: true,
      };
      const visit = await room.open({ look });
      const { page } = visit;
      const fits = async () =>
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      await fits();
      const long = await fileOf(`${"x".repeat(120)}.png`, "");
      await page.locator("[data-field=garments] input").setInputFiles(long);
      await page.getByRole("alert").getByText("is empty").waitFor();
      await fits();
      await choose(page, person, shirt, jacket, hat);
      await fits();
      await button(page, "Try it on").click();
      await page.locator(".step").waitFor();
      await fits();
      // What is to be seen now is in sight.
      await expect.poll(() => button(page, "Stop waiting").evaluate(isInSight)).toBe(true);
      await untilSeen(visit, "Download");
      await fits();
      const ground = await page.evaluate(
        "getComputedStyle(document.documentElement).backgroundColor",
      );
      expect(ground).toBe(colorScheme === "dark" ? "rgb(23, 20, 18)" : "rgb(247, 243, 236)");
      expect(visit.troubles).toEqual([]);
    },
  );

  test("can be used by keyboard alone", async () => {
    const visit = await room.open();
    const { page } = visit;
    await page.evaluate("document.querySelector('[data-field=person] .sample').focus()");
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: "a person" }).waitFor();
    await page.evaluate("document.querySelector('[data-field=garments] .sample').focus()");
    await page.keyboard.press("Space");
    await page.getByRole("img", { name: "a shirt" }).waitFor();
    await page.getByLabel(/A wish/).focus();
    await page.keyboard.press("Enter");
    await page.locator(".step").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("mirror");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Stop waiting");
    await untilSeen(visit, "Download");
    expect(await page.locator(".spoken").textContent()).toBe("Your picture is here.");
    expect(visit.troubles).toEqual([]);
  });
});

/** A page on which a try-on has begun that the service has taken. */
async function begun(): Promise<Opened> {
  const visit = await room.open();
  await choose(visit.page, person, shirt);
  await button(visit.page, "Try it on").click();
  await visit.page.locator(".step", { hasText: "Dressing you" }).waitFor();
  return visit;
}

/** Runs in the page. */
function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}

/** The picture as the service has it. */
async function madePicture({ mock }: Opened): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${shopKey}` };
  const list = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, { headers });
  // The list of the service, in which there is one job.
  const { jobs } = (await list.json()) as { jobs: readonly { job_id: string }[] };
  const job = await mock.fetch(`${mock.baseUrl}/api/v1/tryon/${jobs[0]?.job_id}`, { headers });
  const { result_url } = (await job.json()) as { result_url: string };
  const picture = await mock.fetch(result_url);
  return new Uint8Array(await picture.arrayBuffer());
}
