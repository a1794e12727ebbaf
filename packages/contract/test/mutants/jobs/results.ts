import { Buffer } from "node:buffer";

import { chunk, png } from "../../../src/images.ts";
import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  isList,
  isPoll,
  isResult,
  isSubmit,
  jobIdIn,
  jobIdOf,
  mutated,
  withBytes,
  withFields,
  type MutatedRequest,
} from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

/** How long the last chunk of a PNG is. */
const ending = 12;

/** How long the chunk is that {@link withComment} adds. */
const commentLength = 12 + "Comment".length + 1 + 28;

/** Deviations in the images themselves. */
export const imageMutants: readonly Mutant[] = [
  {
    name: "serves results without their kind",
    section: "Resources and their fields / Output sizes and cost",
    expected: ["result.served-as-png"],
    plant: mutated(() => async (call) => {
      const response = await call.send();
      if (!isResult(call) || response.status !== 200) return response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      return new Response(bytes, { headers: { "content-type": "application/octet-stream" } });
    }),
  },
  {
    name: "stores results without their end",
    section: "Resources and their fields / Output sizes and cost",
    expected: ["result.png"],
    plant: images(
      () => true,
      (bytes) => bytes.slice(0, -ending),
      (job) => ({ ...job, result_bytes: Number(job["result_bytes"]) - ending }),
    ),
  },
  {
    name: "makes 4K no larger than 2K",
    section: "Resources and their fields / Output sizes and cost",
    expected: ["sizes.pixels"],
    plant: replaced((body) => body["output_size"] === "4K", [1_536, 2_048]),
  },
  {
    name: "makes landscapes",
    section: "Semantics 7",
    expected: ["sizes.portrait"],
    plant: replaced((body, token) => body["output_size"] === "1K" && isLive(token), [1_024, 768]),
  },
  {
    name: "gives every job of a test key an image of its own",
    section: "Authentication",
    expected: ["test-key.same-image"],
    plant: images(
      (_body, token) => !isLive(token),
      (bytes, jobId) => withComment(bytes, jobId),
      (job) => ({ ...job, result_bytes: Number(job["result_bytes"]) + commentLength }),
    ),
  },
];

function isLive(token: string): boolean {
  return token.startsWith("svc_live_");
}

type Choice = (body: Fields, token: string) => boolean;

/** Changes the images of some jobs, and what their polls say of them. */
function images(
  chosen: Choice,
  change: (bytes: Uint8Array<ArrayBuffer>, jobId: string) => Uint8Array<ArrayBuffer>,
  tell: (job: Fields) => Fields,
): Mutant["plant"] {
  return mutated(() => {
    const ids = new Set<string>();
    return async (call: MutatedRequest) => {
      const response = await call.send();
      if (isSubmit(call) && chosen(call.body, call.token)) ids.add(await jobIdOf(response));
      const told = (job: Fields): Fields =>
        ids.has(String(job["job_id"])) && job["result_bytes"] !== null ? tell(job) : job;
      if (isPoll(call)) return withFields(response, told);
      if (isList(call)) {
        return withFields(response, (page) => ({
          ...page,
          jobs: elementsOf(page["jobs"]).map((job) => told(fieldsOf(job))),
        }));
      }
      const jobId = jobIdIn(call);
      if (response.status !== 200 || !ids.has(jobId)) return response;
      if (isResult(call)) {
        return withBytes(response, change(new Uint8Array(await response.arrayBuffer()), jobId));
      }
      return response;
    };
  });
}

/** Gives some jobs a plain image of other measures. */
function replaced(chosen: Choice, [width, height]: readonly [number, number]): Mutant["plant"] {
  let made: Uint8Array<ArrayBuffer> | undefined;
  const image = (): Uint8Array<ArrayBuffer> =>
    (made ??= new Uint8Array(png(width, height, [120, 120, 120])));
  return images(chosen, image, (job) => ({
    ...job,
    result_width: width,
    result_height: height,
    result_bytes: image().length,
  }));
}

/** The image with an id of 28 characters as a comment before its end. */
function withComment(bytes: Uint8Array<ArrayBuffer>, jobId: string): Uint8Array<ArrayBuffer> {
  const end = bytes.length - ending;
  const comment = chunk("tEXt", Buffer.from(`Comment\0${jobId}`, "latin1"));
  return new Uint8Array(Buffer.concat([bytes.subarray(0, end), comment, bytes.subarray(end)]));
}
