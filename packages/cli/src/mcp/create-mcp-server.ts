import { stat } from "node:fs/promises";
import { join } from "node:path";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isTryOnError, type Job, type TryOnResult } from "@tryon/client";
import { z } from "zod";

import { CommandError, describeError } from "../failure.ts";
import { createSubmitter, outputSize, submitInput, type McpContext } from "./create-submitter.ts";

/** Maximum duration of a tool call, in milliseconds. Many clients have a limit of 60 seconds. */
const maxWait = 25_000;

type Content = CallToolResult["content"];

export function createMcpServer(context: McpContext, version: string) {
  const { tryon, session, isLive, out, signal } = context;
  const submitter = createSubmitter(context);
  const server = new McpServer({ name: "tryon", version });
  const jobInput = z.strictObject({ job_id: z.string().max(100) });

  const json = (value: object): Content => [
    { type: "text", text: JSON.stringify({ ...value, budget: session.budget() }) },
  ];
  const describeJob = ({ data }: Job, more: object = {}): Content => {
    const { job_id, status, cost_credits, error_code, error_message } = data;
    return json({ job_id, status, cost_credits, error_code, error_message, ...more });
  };
  const describeResult = async ({ job, image }: TryOnResult): Promise<Content> => {
    if (out === undefined) return describeJob(job, { result_url: await image.url({ signal }) });
    const path = join(out, `${job.id}.png`);
    // A complete image, since it is saved atomically.
    await stat(path).catch(() => image.save(path, { signal }));
    return [...describeJob(job, { path }), ...(await createPreview(path))];
  };
  const addTool = <Input extends z.ZodObject>(
    name: string,
    description: string,
    inputSchema: Input,
    work: (input: z.infer<Input>) => Promise<Content>,
  ): void => {
    const annotations = { destructiveHint: false, idempotentHint: true, openWorldHint: true };
    const call = async (input: z.infer<Input>): Promise<CallToolResult> => {
      try {
        return { content: await work(input) };
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: describeFailure(error) }] };
      }
    };
    server.registerTool<z.ZodObject, z.ZodObject>(
      name,
      { description, inputSchema, annotations },
      // The server has parsed the input with the schema.
      (input) => call(input as z.infer<Input>),
    );
  };

  addTool(
    "estimate",
    "Returns the price of a try-on in credits. Sends no try-on.",
    z.strictObject({ output_size: outputSize }),
    async ({ output_size }) => {
      const { costs, source } = await tryon.costs({ signal });
      return json({ credits: isLive ? costs[output_size] : 0, costs, source });
    },
  );
  addTool(
    "submit",
    "Submits a try-on, which costs credits, and returns its job. The same input returns the same job without another charge, so repeat a call that failed or timed out. Then call wait.",
    submitInput,
    async (input) => {
      const result = await submitter.submit(input);
      let timer: unknown;
      const timeout = new Promise<undefined>((resolve) => {
        timer = tryon.clock.setTimeout(() => resolve(undefined), maxWait);
      });
      const job = await Promise.race([result(), timeout]).finally(() =>
        tryon.clock.clearTimeout(timer),
      );
      if (job) return describeJob(job);
      return json({ status: "submitting", next: "Call submit again with the same input." });
    },
  );
  addTool(
    "wait",
    `Waits up to ${maxWait / 1_000} seconds for the end of a job, and returns its image. If it has not ended, returns its id: call wait again.`,
    jobInput,
    async ({ job_id }) => {
      // The service may not show a new job for some seconds. Waits for a resumed job allow for that.
      const resumed = tryon.jobs.resume(job_id);
      const job = await tryon.jobs.get(job_id, { signal }).catch(() => resumed);
      const wait = job.result({ timeout: maxWait, signal });
      const [outcome] = await Promise.allSettled([wait]);
      await session.record(job, !isLive);
      if (outcome.status === "fulfilled") return describeResult(outcome.value);
      if (!isTryOnError(outcome.reason, "wait_timed_out")) throw outcome.reason;
      return describeJob(job, { next: "The job has not ended. Call wait again." });
    },
  );
  addTool(
    "get",
    "Returns the status of a job, and its image if it has succeeded. Does not wait.",
    jobInput,
    async ({ job_id }) => {
      const job = await tryon.jobs.get(job_id, { signal });
      await session.record(job, !isLive);
      if (job.status !== "succeeded") return describeJob(job);
      return describeResult(await job.result({ signal }));
    },
  );
  addTool(
    "account",
    "Returns the credits and prices of the account.",
    z.strictObject({}),
    async () => {
      const account = await tryon.account.get({ signal });
      const { credits_remaining, rate_limit_per_min, tryon_cost_credits } = account;
      return json({ credits_remaining, rate_limit_per_min, tryon_cost_credits });
    },
  );
  return { server, settle: () => submitter.settle() };
}

function describeFailure(error: unknown): string {
  if (error instanceof CommandError) return `${error.code}: ${error.message}`;
  if (!isTryOnError(error)) return `internal_error: ${String(Object(error).message)}`;
  const { code, job } = error;
  let hint: string | undefined;
  if (code === "job_failed") hint = "For a new job with its own charge, submit another variation.";
  if (code === "insufficient_credits") hint = "Nothing was charged. The user can buy credits.";
  if ("idempotencyKey" in error) hint = "Repeat submit with the same input: it is charged once.";
  // `describeError` names flags of other commands in errors of inputs.
  const message = code === "invalid_input" ? error.message : describeError(error, hint);
  return `${code}: ${message}${job && !message.includes(job.id) ? ` (${job.id})` : ""}`;
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
