import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { setupWorker } from "msw/browser";
import { images, photo } from "./program-context.ts";

/** Makes a try-on in a page, whose service worker passes the requests to a server in the page. */
export async function run(): Promise<unknown> {
  const mock = createMock({ latency: 0 });
  const worker = setupWorker(...handlers(mock, { baseUrl: "https://api.tryon.example" }));
  await worker.start({ quiet: true });
  const tryon = new TryOn({ apiKey: mock.keys.test, baseUrl: "https://api.tryon.example" });
  const { image } = await tryon.run({ ...images, person: photo });
  const shown = new Image();
  shown.src = await image.url();
  await shown.decode();
  mock.close();
  await worker.stop();
  return [shown.naturalWidth > 0];
}
