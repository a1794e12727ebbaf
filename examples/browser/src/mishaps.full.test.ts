import { assetPath } from "@tryon/test-kit/repository";
import { expect, test, describe } from "vitest";

import { fittingRoom } from "./testing/fitting-room.ts";
import { button, choose, untilSeen, widths, type Opened } from "./testing/open-page.ts";

const room = await fittingRoom();
const person = assetPath("person.jpg");
const shirt = assetPath("shirt.png");

describe.runIf(room.present)("mishaps in the fitting room", () => {
  test("says in words that the content was refused, and lets visitors change it", async () => {
    const visit = await room.open();
    const { page } = visit;
    await choose(page, person, shirt);
    await page.getByLabel(/A wish/).fill("mock:content_blocked");
    await button(page, "Try it on").click();
    await untilSeen(visit, "This cannot be shown");
    await button(page, "Change something").click();
    await page.getByText("Your picture appears here.").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("order");
    await page.getByLabel(/A wish/).fill("");
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");
    expect(visit.troubles).toEqual([]);
  });

  test("stops waiting at once, and picks the job up after the page was loaded anew, charged once", async () => {
    const visit = await begun();
    const { page, charges, submissions, troubles } = visit;
    await button(page, "Stop waiting").click();
    await page.getByRole("heading", { name: "You stopped waiting" }).waitFor();
    await page.getByText(/made all the same, and charged\s+once/).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Your last try-on" }).waitFor();
    await button(page, "Pick it up").click();
    await untilSeen(visit, "Download");
    expect(submissions()).toBe(1);
    expect(await charges()).toEqual([-8]);
    // Also the photo before is there again.
    await expect.poll(() => widths(page, ".compare img")).toEqual([768, 900]);
    expect(await page.evaluate(keptOrders)).toBe(1);
    await button(page, "Try on something else").click();
    await expect.poll(() => page.evaluate(keptOrders)).toBe(0);
    expect(troubles).toEqual([]);
  });

  test("picks up what was sent when the page was closed before the answer came, charged once", async () => {
    const visit = await room.open();
    const { page, charges } = visit;
    await choose(page, person, shirt);
    const arrived = Promise.withResolvers<void>();
    await page.route("**/api/v1/tryon", async (route) => {
      await route.fetch();
      arrived.resolve();
      // The answer never comes.
    });
    await button(page, "Try it on").click();
    await arrived.promise;
    expect(await charges()).toEqual([-8]);
    await page.reload();
    // Not before: what is held back would be let through, and answered.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await button(page, "Pick it up").click();
    await untilSeen(visit, "Download");
    expect(await charges()).toEqual([-8]);
    expect(visit.worn).toHaveLength(1);
  });

  test("finds out what became of a try-on whose answer was cut off, charged once", async () => {
    const visit = await room.open();
    const { page, charges, submissions } = visit;
    await choose(page, person, shirt);
    let cuts = 0;
    await page.route("**/api/v1/tryon", async (route) => {
      cuts += 1;
      // The first arrives, and the page hears nothing of it; then nothing gets through.
      if (cuts === 1) await route.fetch();
      await route.abort("connectionreset");
    });
    await button(page, "Try it on").click();
    await untilSeen(visit, "The connection broke");
    await page.getByText("it is never made twice", { exact: false }).last().waitFor();
    expect(cuts).toBe(4);
    expect(await charges()).toEqual([-8]);
    await page.unrouteAll();
    await button(page, "Find out").click();
    await untilSeen(visit, "Download");
    expect(submissions()).toBe(2);
    expect(await charges()).toEqual([-8]);
    expect(visit.worn).toHaveLength(1);
  });

  test("gets over a connection that breaks between the shop and the service, charged once", async () => {
    const visit = await room.open();
    const { page, mock, charges } = visit;
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    await choose(page, person, shirt);
    await button(page, "Try it on").click();
    await untilSeen(visit, "Download");
    expect(await charges()).toEqual([-8]);
    expect(visit.worn).toHaveLength(1);
  });

  test("says that the network is gone while it waits, and waits on for the same job", async () => {
    const visit = await begun();
    const { page, charges } = visit;
    await page.route("**/api/v1/tryon/*", (route) => route.abort("internetdisconnected"));
    await page.clock.fastForward("11:00");
    await untilSeen(visit, /It takes unusually long|No connection/);
    await page.unrouteAll();
    await button(page, "Wait on").click();
    await untilSeen(visit, "Download");
    expect(await charges()).toEqual([-8]);
  });

  test("says how long to wait when too many ask", async () => {
    const visit = await room.open();
    const { page, mock, charges } = visit;
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 170 });
    await choose(page, person, shirt);
    await button(page, "Try it on").click();
    await page.getByText("Many people are in here").last().waitFor();
    await page.getByText("Try again in 3 minutes.", { exact: false }).last().waitFor();
    expect(await charges()).toEqual([]);
    await page.clock.fastForward("03:00");
    await button(page, "Try again").click();
    await untilSeen(visit, "Download");
    expect(await charges()).toEqual([-8]);
  });

  test("tells visitors nothing of the shop's credits when they have run out", async () => {
    const visit = await room.open({ credits: 3 });
    const { page } = visit;
    await choose(page, person, shirt);
    await button(page, "Try it on").click();
    await untilSeen(visit, "No try-ons at the moment");
    expect(await page.locator(".stage:not([hidden])").innerText()).not.toMatch(/credit|key|\d/i);
    const answers = (await visit.received()).filter((answer) => answer.includes("/api/tryon/"));
    expect(answers).toHaveLength(4);
    expect(answers.join("\n")).not.toMatch(/credit/i);
  });

  test("asks visitors whom it does not know any more to reload the page", async () => {
    const visit = await room.open();
    const { page } = visit;
    await choose(page, person, shirt);
    await page.context().clearCookies();
    await button(page, "Try it on").click();
    await page.getByRole("heading", { name: "We lost track of who you are" }).waitFor();
    await button(page, "Reload the page").click();
    await button(page, "Pick it up").click();
    await untilSeen(visit, "Download");
    expect(await visit.charges()).toEqual([-8]);
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

/** Runs in the page: how many orders the browser keeps. */
async function keptOrders(): Promise<number> {
  const request = indexedDB.open("fitting-room");
  await new Promise((resolve) => request.addEventListener("success", resolve));
  const count = request.result.transaction("orders").objectStore("orders").count();
  await new Promise((resolve) => count.addEventListener("success", resolve));
  request.result.close();
  return count.result;
}
