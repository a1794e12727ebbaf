import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { images, pngProblem, readPngHeader, type PngHeader } from "../../images.ts";
import type { Fields, HttpResponse } from "../../wire/response.ts";
import { checkRows, mustHave, oneOf } from "../expectations.ts";
import { fetchImage, finished, syncSuccess } from "./job-run.ts";

const sizes = { "1K": 1_024, "2K": 2_048, "4K": 4_096 } as const;

export const results = checkRows("safe", 8, {
  "result.png": {
    title: "Makes one complete PNG for a try-on that succeeds",
    rules: ["result.content-type.png", "service.try-on.one-image"],
    async run(session) {
      const { image } = await makeImage(session);
      const problem = pngProblem(image.bytes);
      must(problem === undefined, `The result is not a PNG: ${problem}.`, image);
    },
  },
  "result.served-as-png": {
    title: "Serves the result as image/png",
    rules: ["result.content-type.png"],
    async run(session) {
      const { image } = await makeImage(session);
      const type = image.headers.get("content-type") ?? "";
      must(/^image\/png\b/i.test(type), `The result has the content type "${type}".`, image);
    },
  },
  "job.result-size": {
    title: "Has the size of the image in result_width and result_height",
    rules: ["job.result-width.pixels", "job.result-height.pixels"],
    async run(session) {
      const { response, image } = await makeImage(session);
      const { width, height } = headerOf(image);
      const expected = { result_width: orNone(width), result_height: orNone(height) };
      mustHave(response, expected, "the job, as in the PNG");
    },
  },
  "job.result-bytes": {
    title: "Has the length of the image in result_bytes, in 1K and in 2K",
    rules: ["job.result-bytes.size"],
    credits: 20,
    async run(session) {
      for (const size of ["1K", "2K"]) {
        const { response, image } = await makeImage(session, { output_size: size });
        const expected = { result_bytes: orNone(image.bytes.length) };
        mustHave(response, expected, `the job in ${size}, as in the image`);
      }
    },
  },
  "submit-response.result-url.fetched": {
    title: "Serves the image at the result_url of a synchronous request",
    rules: ["submit-response.result-url.validity"],
    run: async (session) => fetchImage(session, await syncSuccess(session)),
  },
  "sizes.pixels": {
    level: "paid",
    credits: 40,
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
  "sizes.portrait": {
    level: "paid",
    title: "Makes images with a width and height of 3:4",
    rules: ["sizes.resolution.which-side"],
    async run(session) {
      const { image } = await makeImage(session, { output_size: "1K" });
      const { width, height } = headerOf(image);
      const isPortrait = Math.abs(width / height - 3 / 4) <= 0.02;
      must(isPortrait, `An image in 1K has ${width} × ${height} pixels, which is not 3:4.`);
    },
  },
  "test-key.stock-image": {
    on: "test",
    credits: 0,
    title:
      "Makes a PNG unlike the images of the request for a test key, and repeats metadata and seed",
    rules: ["test-key.stock-image"],
    async run(session) {
      const metadata = { sku: "LS-204" };
      const { response, image } = await makeImage(session, { metadata, seed: 7 });
      mustHave(response, { metadata: oneOf(metadata), seed: 7 }, "a job of a test key");
      const problem = pngProblem(image.bytes);
      must(problem === undefined, `The stock image is not a PNG: ${problem}.`, image);
      for (const [name, sent] of Object.entries(images)) {
        const isSame = Buffer.from(sent, "base64").equals(image.bytes);
        must(!isSame, `The stock image is the ${name} of the request.`, image);
      }
    },
  },
});

async function makeImage(session: Session, request: Fields = {}) {
  const { response } = await finished(session, request);
  return { response, image: await fetchImage(session, response) };
}

function headerOf(image: HttpResponse): PngHeader {
  const header = readPngHeader(image.bytes);
  need(header !== undefined, "The result is not a PNG with a readable header.");
  return header;
}

function orNone(value: number) {
  return oneOf(value, null, undefined);
}
