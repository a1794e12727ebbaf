/** A program that says on which failures the other packages send a submission again, and how many keys go with it. */
export const retriesOfPeers = `
import { createFalClient } from "@fal-ai/client";
import Fashn from "fashn";
import Replicate from "replicate";

// Delays between attempts take no time here; timeouts of a minute stay as they are.
const { setTimeout } = globalThis;
globalThis.setTimeout = (callback, ms) => setTimeout(callback, ms < 50_000 ? 0 : ms);

const inputs = { model_image: "a", garment_image: "b" };
const submissions = {
  fashn: (fetch) =>
    new Fashn({ apiKey: "a", fetch, logLevel: "off" }).predictions.run({
      model_name: "tryon-v1.6",
      inputs,
    }),
  replicate: (fetch) => new Replicate({ auth: "a", fetch }).predictions.create({ model: "a/b", input: inputs }),
  fal: (fetch) => createFalClient({ credentials: "a", fetch }).queue.submit("a/b", { input: inputs }),
};

const told = {};
for (const [name, submit] of Object.entries(submissions)) {
  const repeated = [];
  let keys = 0;
  for (const failure of [408, 409, 429, 500, 502, 503, 504, "connection"]) {
    let attempts = 0;
    const fetch = async (input, init) => {
      attempts += 1;
      const { headers } = new Request(input, init);
      keys += [...headers.keys()].filter((header) => header.includes("idempotency")).length;
      if (failure !== "connection") return Response.json({}, { status: failure });
      throw new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });
    };
    await submit(fetch).catch(() => undefined);
    if (attempts > 1) repeated.push(failure);
  }
  told[name] = { repeated, keys };
}
console.log(JSON.stringify(told));
`;
