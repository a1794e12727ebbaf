import { describe, expect, onTestFinished, test, vi, type MockInstance } from "vitest";

import { Store } from "../store/store.ts";
import { tryOn } from "../../test/caller.ts";
import { command } from "../../test/command.ts";
import { fetchingServer, images } from "../../test/fetching-server.ts";
import { bytesWithin, imagesWithin } from "../../test/image-traces.ts";
import { asset } from "../../test/images.ts";
import { contents } from "../../test/store-records.ts";
import { covers } from "../../test/covers.ts";
import { headers } from "../../test/with-faults.ts";
import { Journal } from "./journal.ts";

const sent = {
  person_url: null,
  garment_urls: [],
  person_image_b64: asset("person.jpg"),
  garment_images_b64: [asset("shirt.png")],
};

/** Valid and invalid submissions with images. */
const submissions = [
  {},
  { prompt: "mock:slow=60000" },
  { seed: -1 },
  { garment_images_b64: Array.from({ length: 3 }, () => asset("shirt.png")), items: ["https://a"] },
  { person_image_b64: `data:image/jpeg;base64,${asset("person.jpg")}` },
  { prompt: asset("person.jpg") },
  { webhook_url: "http://10.0.0.1/" },
];

/** Records what methods of the server return. */
function recordResults(...spies: MockInstance[]): { readonly values: unknown[] } {
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return {
    get values() {
      return spies.flatMap((spy) => spy.mock.results.map(({ value }): unknown => value));
    },
  };
}

/** Records output to the console and to both streams of the process. */
function recordOutput(): readonly unknown[] {
  const written: unknown[] = [];
  const record = (...texts: readonly unknown[]) => written.push(...texts) > 0;
  recordResults(
    ...(["error", "warn", "log", "info", "debug"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(record),
    ),
    ...[process.stderr, process.stdout].map((stream) =>
      vi.spyOn(stream, "write").mockImplementation(record),
    ),
  );
  return written;
}

describe("the images of a request", () => {
  test("are not in the journal, snapshots or output, while jobs run or wait and afterwards", async () => {
    covers("privacy.inputs.dropped");
    const copies = recordResults(vi.spyOn(Store.prototype, "copy"));
    const states = recordResults(vi.spyOn(Journal.prototype, "snapshot"));
    const written = recordOutput();
    const { mock, call, submit } = await fetchingServer(images, {
      concurrency: 1,
      options: { reportQueued: true },
      sendWebhook: async () => new Response(null, { status: 500 }),
    });
    const statuses: number[] = [];
    for (const [index, fields] of submissions.entries()) {
      const key = { "idempotency-key": `order-${index}` };
      statuses.push((await call.submit({ ...sent, ...fields }, key)).status);
    }
    statuses.push((await submit({ webhook_url: "https://shop.example/hook" })).status);
    expect(statuses).toEqual([200, 200, 422, 400, 400, 422, 400, 200]);
    const running = await mock.snapshot();
    await mock.clock.advance("2s");
    await mock.restore(running);
    await mock.clock.advance("1h");
    await mock.snapshot();

    const stores = copies.values.filter((value) => value instanceof Store);
    expect(stores).toHaveLength(3);
    const kept = stores.map(contents);
    const journal = mock.journal.entries();
    expect(journal).toHaveLength(8);
    // The search includes the results of three jobs in each store, also while the jobs run or wait.
    expect([...bytesWithin(kept)].filter(({ length }) => length > 1_000)).toHaveLength(9);
    expect(imagesWithin(kept)).toEqual([]);
    expect(imagesWithin(states.values)).toEqual([]);
    expect(imagesWithin(journal)).toEqual([]);
    expect(imagesWithin(written)).toEqual([]);
  });

  test("are not in the output of the command, whatever its response", async () => {
    const run = command("--port", "0", "--latency", "0");
    const url = await run.listening;
    const statuses: number[] = [];
    const bodies = submissions.map((fields) => JSON.stringify(tryOn({ ...sent, ...fields })));
    for (const body of [...bodies, JSON.stringify(sent).slice(0, -1)]) {
      const init = { method: "POST", headers, body };
      statuses.push((await fetch(`${url}/api/v1/tryon`, init)).status);
    }
    expect(statuses).toEqual([200, 200, 422, 400, 400, 422, 400, 422]);
    run.child.kill("SIGTERM");
    await run.ended;
    expect(run.stdout()).toContain("listening");
    expect(imagesWithin([run.stdout(), run.stderr()])).toEqual([]);
  });
});

test("the search for images finds a part of one in any value", () => {
  const text = asset("person.jpg");
  expect(imagesWithin({ a: [new Map([["b", text.slice(400, 9_000)]])] })).toEqual([
    "person.jpg in base64",
  ]);
  expect(imagesWithin([Buffer.from(text, "base64")])).toEqual(["person.jpg"]);
});
