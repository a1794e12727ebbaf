import {
  isTryOnError,
  type Job,
  type TryOn,
  type TryOnErrorCode,
  type TryOnInput,
} from "@tryon/client";
import * as z from "zod";

import { CommandError } from "../failure.ts";
import { sha256, type Session } from "./open-session.ts";
import { readImage } from "./read-image.ts";

export interface McpContext {
  readonly tryon: TryOn;
  readonly session: Session;
  readonly isLive: boolean;
  /** Maximum price of packs, in US dollars. 0 if none may be bought. */
  readonly maxUsd: number;
  /** Folders of images, as absolute paths without links. */
  readonly folders: readonly string[];
  /** Returns the payment token of the environment, if there is one. */
  readonly paymentToken: () => string | undefined;
  readonly out: string | undefined;
  readonly signal: AbortSignal;
}

const image = z.string().min(1).max(2_000);
const outputSize = z.enum(["1K", "2K", "4K"]).default("1K");
export const variation = z.union([z.number(), z.string().max(200)]).optional();

/** Input of the tool `submit`. Unknown fields are errors: a misspelled size must not be paid for. */
export const submitInput = z.strictObject({
  person: image.describe("Photo of the person: an https URL, or a path in an allowed folder."),
  garments: z.array(image).min(1).max(3).describe("Images of garments, each a URL or path."),
  output_size: outputSize,
  prompt: z.string().max(1_000).optional(),
  negative_prompt: z.string().max(500).optional(),
  seed: z.int().min(0).max(2_147_483_647).optional(),
  variation: variation.describe("A new value makes, and charges, another image of this input."),
});

type SubmitInput = z.infer<typeof submitInput>;

const submitTimeout = 600_000;
/** Errors which prove that nothing was charged. After an attempt that may have made a job, a call has another error. */
const refusals: ReadonlySet<TryOnErrorCode> = new Set([
  ...(["bad_request", "connection_failed", "forbidden", "insufficient_credits"] as const),
  ...(["invalid_config", "invalid_input", "payload_too_large", "rate_limited"] as const),
  ...(["too_many_refusals", "unauthorized", "unsafe_environment", "validation_failed"] as const),
]);

export type Submitter = ReturnType<typeof createSubmitter>;

export function createSubmitter({ tryon, session, isLive, folders, signal }: McpContext) {
  const inFlight = new Map<string, Promise<Job>>();

  async function send(key: string, input: TryOnInput, price: number): Promise<Job> {
    const known = session.get(key);
    const now = tryon.clock.now();
    const left = tryon.idempotencyWindow - Math.abs(now - (known?.sentAt ?? now));
    if (left <= 0) {
      const problem = "This input was submitted before, and its outcome is unknown.";
      const hint = "It is not sent again, since that could pay twice. Its credits stay reserved.";
      throw new CommandError("outcome_unknown", `${problem} ${hint} Ask the user what to do.`);
    }
    if (!known) await session.reserve(key, price, now);
    try {
      const timeout = Math.min(submitTimeout, left);
      const job = await tryon.submit(input, { idempotencyKey: key, timeout, signal });
      await session.record(job, !isLive, key);
      return job;
    } catch (error) {
      // After an earlier call with an unknown outcome, a refusal proves nothing.
      if (!known && isTryOnError(error) && refusals.has(error.code)) {
        // Some services repeat these refusals under their key.
        await session.release(key, error.status === 400 || error.status === 402);
      }
      throw error;
    }
  }

  /** Reads the images of an input and checks it. @throws CommandError `invalid_input` */
  async function prepare({
    person,
    garments,
    output_size,
    prompt,
    negative_prompt,
    seed,
  }: SubmitInput) {
    const images = await Promise.all([person, ...garments].map((one) => readImage(one, folders)));
    // The schema of the tool has checked the number of garments.
    const sent = { person: images[0], garments: images.slice(1) } as TryOnInput;
    const input = { ...sent, output_size, prompt, negative_prompt, seed };
    const problem = (await tryon.validate(input)).find(
      ({ severity, code }) => severity === "error" || code === "unknown_image",
    );
    if (problem) throw new CommandError("invalid_input", problem.message);
    return { input, names: images.map((one) => (typeof one === "string" ? one : [sha256(one)])) };
  }

  return {
    prepare,

    /**
     * Submits an input, or returns the job of the same input and variation in this session.
     *
     * @returns a function that waits for the job. The submission goes on without it.
     */
    async submit(fields: SubmitInput) {
      const { input, names } = await prepare(fields);
      const { costs } = await tryon.costs({ signal });
      const { output_size: size, prompt = "", negative_prompt: negative = "", seed } = fields;
      const { variation: text = "" } = fields;
      const content = [session.id, names, size, prompt, negative, seed, String(text)];
      let key = sha256(JSON.stringify(content));
      while (session.get(key)?.state === "refused") key = sha256(key);
      const jobId = session.get(key)?.jobId;
      if (jobId !== undefined) {
        const saved = tryon.jobs.resume(jobId);
        return () => tryon.jobs.get(jobId, { signal }).catch(() => saved);
      }
      const job = inFlight.get(key) ?? send(key, input, costs[size]);
      inFlight.set(key, job);
      job.finally(() => inFlight.delete(key)).catch(() => undefined);
      return () => job;
    },

    settle: async () => Promise.allSettled(inFlight.values()),
  };
}
