import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { finished, fetchImage, headerOf, heldSuccess, isNone, ownKey, pngOf } from "./journey.ts";
import { fieldsOf } from "../../wire/response.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;
const sizes = { "1K": 1_024, "2K": 2_048, "4K": 4_096 } as const;

/** The image that a job makes. */
export const results: readonly Check[] = [
  {
    ...free,
    id: "result.png",
    title: "The result is a whole PNG",
    rules: ["result.content-type.png"],
    async run(session) {
      const { job } = await finished(session);
      pngOf(await fetchImage(session, job["result_url"]));
    },
  },
  {
    ...free,
    id: "result.served-as-png",
    title: "The result is served as image/png",
    rules: ["result.content-type.png"],
    async run(session) {
      const { job } = await finished(session);
      const image = await fetchImage(session, job["result_url"]);
      const type = image.headers.get("content-type") ?? "";
      must(/^image\/png\b/i.test(type), `The result is served as "${type}".`, image);
    },
  },
  {
    ...free,
    id: "job.result-content-type",
    title: "result_content_type of a job that succeeded is image/png",
    rules: ["job.result-content-type.png"],
    async run(session) {
      const { answer, job } = await finished(session);
      const { result_content_type: type } = job;
      must(type === "image/png", `result_content_type is ${JSON.stringify(type)}.`, answer);
    },
  },
  {
    ...free,
    id: "job.result-size",
    title: "result_width and result_height are the image's own",
    rules: ["job.result-width.pixels", "job.result-height.pixels"],
    async run(session) {
      const { answer, job } = await finished(session);
      const { width, height } = headerOf(await fetchImage(session, job["result_url"]));
      const { result_width: toldWidth, result_height: toldHeight } = job;
      must(
        (isNone(toldWidth) || toldWidth === width) && (isNone(toldHeight) || toldHeight === height),
        `The job says ${String(toldWidth)} × ${String(toldHeight)}, and the PNG ${width} × ${height}.`,
        answer,
      );
    },
  },
  {
    ...free,
    id: "job.result-bytes",
    title: "result_bytes is the length of the image",
    rules: ["job.result-bytes.size"],
    async run(session) {
      const { answer, job } = await finished(session);
      const { bytes } = await fetchImage(session, job["result_url"]);
      const { result_bytes: told } = job;
      must(
        isNone(told) || told === bytes.length,
        `The job says ${String(told)} bytes, and the result has ${bytes.length}.`,
        answer,
      );
    },
  },
  {
    ...free,
    id: "submit-answer.result-url.leads",
    title: "The result_url of a held call leads to the image",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      const answer = await heldSuccess(session, {}, { key: await ownKey(session) });
      await fetchImage(session, fieldsOf(answer.json)["result_url"]);
    },
  },
  {
    level: "paid",
    on: "live",
    credits: 40,
    id: "sizes.pixels",
    title: "Results measure about 1024, 2048 and 4096 pixels",
    rules: ["sizes.resolution.pixels"],
    async run(session) {
      for (const [size, pixels] of Object.entries(sizes)) {
        const { width, height } = await measured(session, size);
        // Which side it is, and how near it comes, is open.
        const near = [width, height].some((side) => Math.abs(side - pixels) <= 0.15 * pixels);
        must(near, `A result in ${size} measures ${width} × ${height}.`);
      }
    },
  },
  {
    level: "paid",
    on: "live",
    credits: 8,
    id: "sizes.portrait",
    title: "Results are portraits of 3:4 whose height is the size",
    rules: ["sizes.resolution.which-side"],
    async run(session) {
      const { width, height } = await measured(session, "1K");
      const portrait = Math.abs(width / height - 3 / 4) <= 0.02;
      must(portrait, `A result in 1K measures ${width} × ${height}, which is not 3:4.`);
    },
  },
  {
    ...free,
    on: "test",
    credits: 0,
    id: "test-key.same-image",
    title: "A test key gets the same image for the same request and seed",
    rules: ["test-key.stock-image"],
    async run(session) {
      const key = await ownKey(session);
      const images: string[] = [];
      for (let time = 0; time < 2; time += 1) {
        const { job } = await finished(session, { seed: 7 }, { key });
        const { bytes } = await fetchImage(session, job["result_url"]);
        images.push(Buffer.from(bytes).toString("base64"));
      }
      must(images[0] === images[1], "The same request and seed gave two different images.");
    },
  },
];

async function measured(
  session: Session,
  size: string,
): Promise<{ width: number; height: number }> {
  const { job } = await finished(session, { output_size: size });
  return headerOf(await fetchImage(session, job["result_url"]));
}
