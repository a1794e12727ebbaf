import { expect, test } from "vitest";

import { command } from "../../test/command.ts";
import { assetBytes } from "../../test/images.ts";
import { loopback } from "../../test/loopback.ts";
import { fileWith } from "../../test/temporary-files.ts";
import { plainCalls } from "../../test/with-faults.ts";

test("the command reaches images and receivers over the network of the machine", async () => {
  const network = await loopback(() => ({ content: assetBytes("shirt.png") }));
  const host = network.url.replace("127.0.0.1", "localhost");
  const settings = { images: "fetch", allowPrivateImages: true, latency: 0 };
  const config = fileWith(JSON.stringify(settings));
  const url = await command("--port", "0", "--config", config).listening;
  const submit = async (person: string): Promise<string> => {
    const response = await plainCalls(fetch, url).submit({
      person_url: person,
      garment_urls: [`${host}/shirt.png`],
      webhook_url: `${host}/hook`,
    });
    return `${response.status} ${await response.text()}`;
  };
  expect(await submit(`${host}/person.jpg`)).toMatch(/^200 /);
  const seen = () => new Map(network.arrived.map(({ path, headers }) => [path, headers]));
  await expect.poll(() => seen().has("/hook"), { interval: 5, timeout: 10_000 }).toBe(true);
  // The global fetch would have kept its connections and taken compressed answers.
  for (const path of ["/person.jpg", "/shirt.png", "/hook"]) {
    expect(seen().get(path)).toMatchObject({ connection: "close", "accept-encoding": "identity" });
  }
  expect(await submit("https://10.0.0.1/person.jpg")).toMatch(/^400 .*person_url: blocked URL/);
});
