import { stat } from "node:fs/promises";
import { join } from "node:path";

import { McpServer } from "@modelcontextprotocol/server";
import { isTryOnError, type Job, type TryOnResult, type Update } from "@tryon/client";
import * as z from "zod";

import { addPurchases } from "./add-purchases.ts";
import {
  createSubmitter,
  submitInput,
  type McpContext,
  type Submitter,
} from "./create-submitter.ts";
import {
  maxWait,
  number,
  prices,
  readOnly,
  repeatable,
  string,
  toolAdder,
  withinCall,
  type Content,
  type ToolOutput,
} from "./tool.ts";

const jobOutput = z.object({
  job_id: z.string().optional(),
  status: z.string(),
  cost_credits: number,
  error_code: string,
  error_message: string,
  path: z.string().optional(),
  result_url: z.string().optional(),
  next: z.string().optional(),
});
const jobInput = z.strictObject({ job_id: z.string().max(100) });

/** Prepares servers with the tools of a session. `settle` waits for the end of all submissions. */
export function prepareMcp(context: McpContext, version: string) {
  const submitter = createSubmitter(context);
  return {
    createServer: () => createServer(context, submitter, version),
    settle: () => submitter.settle(),
  };
}

function createServer(context: McpContext, submitter: Submitter, version: string): McpServer {
  const { tryon, session, isLive, out } = context;
  const server = new McpServer({ name: "tryon", version });
  const addTool = toolAdder(server, context);

  /** Saves the image of a result, and returns its path and a preview. Without a folder, returns its URL. */
  const describeResult = async (
    { job, image }: TryOnResult,
    signal: AbortSignal,
  ): Promise<ToolOutput> => {
    if (out === undefined) return describeJob(job, { result_url: await image.url({ signal }) });
    const path = join(out, `${job.id}.png`);
    // A complete image, since it is saved atomically.
    await stat(path).catch(() => image.save(path, { signal }));
    return { ...describeJob(job, { path }), preview: await createPreview(path) };
  };

  addTool(
    "estimate",
    [
      "Price of a try-on",
      "Checks the input of a try-on, and returns its price in credits. Takes what submit takes, and sends no try-on.",
    ],
    readOnly,
    submitInput.partial(),
    z.object({ credits: z.number(), costs: prices, source: z.string() }),
    async ({ person, garments, output_size = "1K", ...fields }, { signal }) => {
      if (person !== undefined && garments) {
        await submitter.prepare({ ...fields, output_size, person, garments });
      }
      const { costs, source } = await tryon.costs({ signal });
      return { value: { credits: isLive ? costs[output_size] : 0, costs, source } };
    },
  );
  addTool(
    "submit",
    [
      "Submit a try-on",
      "Submits a try-on, which costs credits, and returns its job. The same input returns the same job without another charge, so repeat a call that failed or timed out. Then call wait.",
    ],
    repeatable,
    submitInput,
    jobOutput,
    async (input, { signal }) => {
      const result = await submitter.submit(input);
      // The submission goes on. A call with the same input returns its job.
      const job = await withinCall(tryon, result(), signal);
      if (job) return describeJob(job);
      return { value: { status: "submitting", next: "Call submit again with the same input." } };
    },
  );
  addTool(
    "wait",
    [
      "Wait for a job",
      `Waits up to ${maxWait / 1_000} seconds for the end of a job, and returns its image. If it has not ended, returns its id: call wait again.`,
    ],
    readOnly,
    jobInput,
    jobOutput,
    async ({ job_id }, { signal, progress }) => {
      const resumed = tryon.jobs.resume(job_id);
      const job = await tryon.jobs.get(job_id, { signal }).catch((error: unknown) => {
        // The service may not show a new job for some seconds. Waits for a resumed job allow for that.
        if (isTryOnError(error, "not_found") && !session.hasJob(job_id)) throw error;
        return resumed;
      });
      const onUpdate = (update: Update): void => {
        if ("job" in update) progress(`${update.job.id}: ${update.job.status}`);
      };
      const wait = job.result({ timeout: maxWait, signal, onUpdate });
      const [outcome] = await Promise.allSettled([wait]);
      await session.record(job, !isLive);
      if (outcome.status === "fulfilled") return describeResult(outcome.value, signal);
      if (!isTryOnError(outcome.reason, "wait_timed_out")) throw outcome.reason;
      return describeJob(job, { next: "The job has not ended. Call wait again." });
    },
  );
  addTool(
    "get",
    [
      "Status of a job",
      "Returns the status of a job, and its image if it has succeeded. Does not wait.",
    ],
    readOnly,
    jobInput,
    jobOutput,
    async ({ job_id }, { signal }) => {
      const job = await tryon.jobs.get(job_id, { signal });
      await session.record(job, !isLive);
      if (job.status !== "succeeded") return describeJob(job);
      return describeResult(await job.result({ signal }), signal);
    },
  );
  addTool(
    "account",
    ["Account", "Returns the credits and prices of the account."],
    readOnly,
    z.strictObject({}),
    z.object({ credits_remaining: number, rate_limit_per_min: number, tryon_cost_credits: prices }),
    async (_, { signal }) => ({ value: await tryon.account.get({ signal }) }),
  );
  if (context.maxUsd > 0) addPurchases(server, context);
  return server;
}

function describeJob({ data }: Job, more: object = {}): ToolOutput {
  return { value: { ...data, result_url: undefined, ...more } };
}

/** Returns a JPEG of about 20 kB at most, or nothing if the package sharp is not installed. */
async function createPreview(path: string): Promise<Content> {
  try {
    const { default: sharp } = await import("sharp");
    const shrunk = sharp(path).resize(256, 256, { fit: "inside" }).flatten({ background: "#fff" });
    const bytes = await shrunk.jpeg({ quality: 50 }).toBuffer();
    return [{ type: "image", mimeType: "image/jpeg", data: bytes.toString("base64") }];
  } catch {
    return [];
  }
}
