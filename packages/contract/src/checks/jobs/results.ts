import { CheckFailure, must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { readPng, readPngHeader, type PngHeader } from "../../wire/png.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { checkGroup, mustHave, oneOf } from "../expectations.ts";
import { fetchImage, finished, ownKey, syncSuccess } from "./job-run.ts";
import type { Key } from "../../target/keys.ts";

const sizes = { "1K": 1_024, "2K": 2_048, "4K": 4_096 } as const;

/** Images of results. */
export const results = checkGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    id: "result.png",
    title: "Makes a complete PNG",
    rules: ["result.content-type.png"],
    async run(session) {
      const { image } = await makeImage(session);
      const png = readPng(image.bytes);
      if (typeof png === "string")
        throw new CheckFailure(`The result is not a PNG: ${png}.`, image);
    },
  },
  {
    id: "result.served-as-png",
    title: "Serves the result as image/png",
    rules: ["result.content-type.png"],
    async run(session) {
      const { image } = await makeImage(session);
      const type = image.headers.get("content-type") ?? "";
      must(/^image\/png\b/i.test(type), `The result has the content type "${type}".`, image);
    },
  },
  {
    id: "job.result-size",
    title: "Has the size of the image in result_width and result_height",
    rules: ["job.result-width.pixels", "job.result-height.pixels"],
    async run(session) {
      const { response, image } = await makeImage(session);
      const { width, height } = headerOf(image);
      const expected = { result_width: orNone(width), result_height: orNone(height) };
      mustHave(response, expected, "the job, as in the PNG");
    },
  },
  {
    id: "job.result-bytes",
    title: "Has the length of the image in result_bytes",
    rules: ["job.result-bytes.size"],
    async run(session) {
      const { response, image } = await makeImage(session);
      const expected = { result_bytes: orNone(image.bytes.length) };
      mustHave(response, expected, "the job, as in the image");
    },
  },
  {
    id: "submit-response.result-url.fetched",
    title: "Serves the image at the result_url of a synchronous request",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      const response = await syncSuccess(session, {}, { key: await ownKey(session) });
      await fetchImage(session, fieldsOf(response.json)["result_url"]);
    },
  },
  {
    level: "paid",
    on: "live",
    credits: 40,
    id: "sizes.pixels",
    title: "Makes images of about 1024, 2048 and 4096 pixels",
    rules: ["sizes.resolution.pixels"],
    async run(session) {
      for (const [size, pixels] of Object.entries(sizes)) {
        const { image } = await makeImage(session, { output_size: size });
        const { width, height } = headerOf(image);
        // The side, and the exact size, are open points.
        const near = [width, height].some((side) => Math.abs(side - pixels) <= 0.15 * pixels);
        must(near, `An image in ${size} has ${width} × ${height} pixels.`);
      }
    },
  },
  {
    level: "paid",
    on: "live",
    id: "sizes.portrait",
    title: "Makes images with a width and height of 3:4",
    rules: ["sizes.resolution.which-side"],
    async run(session) {
      const { image } = await makeImage(session, { output_size: "1K" });
      const { width, height } = headerOf(image);
      const isPortrait = Math.abs(width / height - 3 / 4) <= 0.02;
      must(isPortrait, `An image in 1K has ${width} × ${height} pixels, which is not 3:4.`);
    },
  },
  {
    on: "test",
    credits: 0,
    id: "test-key.same-image",
    title: "Makes the same image for the same request and seed of a test key",
    rules: ["test-key.stock-image"],
    async run(session) {
      const key = await ownKey(session);
      const first = await makeImage(session, { seed: 7 }, key);
      const second = await makeImage(session, { seed: 7 }, key);
      const same = Buffer.from(first.image.bytes).equals(second.image.bytes);
      must(same, "Two requests with the same fields and seed have different images.");
    },
  },
]);

/** Submits a job that succeeds, and fetches its image. */
async function makeImage(session: Session, request: Fields = {}, key?: Key) {
  const { response, job } = await finished(session, request, key);
  return { response, image: await fetchImage(session, job["result_url"]) };
}

/** Reads the header of an image. @throws SkipCheck when the image is not a PNG, for which another check fails. */
function headerOf(image: HttpResponse): PngHeader {
  const header = readPngHeader(image.bytes);
  if (header === undefined) throw new SkipCheck("The result is not a PNG with a readable header.");
  return header;
}

function orNone(value: number) {
  return oneOf(value, null, undefined);
}
