import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { handlers } from "@tryon/mock/msw";
import { setupServer } from "msw/node";
import { images, photo } from "./program-context.ts";

/** No server listens there, so requests that msw passes through fail. */
const baseUrl = "http://127.0.0.1:2";

/** Makes a try-on with the global `fetch`, which msw passes to a server in this process. */
export async function run(): Promise<unknown> {
  const mock = createMock({ latency: 0 });
  const server = setupServer(...handlers(mock, { baseUrl }));
  server.listen();
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl, retries: 0 });
  const { image } = await tryon.run({ ...images, person: photo });
  const png = await image.bytes();
  server.close();
  mock.close();
  return [png[1] === 80];
}
