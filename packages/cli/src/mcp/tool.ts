import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { UsageError } from "@tryon/cli-kit";
import { isTryOnError, type TryOn } from "@tryon/client";
import * as z from "zod";

import { CommandError, describeError } from "../failure.ts";
import type { McpContext } from "./create-submitter.ts";

/** Maximum duration of a tool call, in milliseconds. Many clients have a limit of 60 seconds. */
export const maxWait = 25_000;

// The service may send values of other types.
export const number = z.number().nullish().catch(null);
export const string = z.string().nullish().catch(null);
export const prices = z.record(z.string(), z.number()).nullish().catch(null);
const amounts = { spent: z.number(), reserved: z.number() };
const budget = z.object({
  ...amounts,
  max_credits: z.number().nullable(),
  left: z.number().nullable(),
  usd: z.object({ ...amounts, max: z.number(), left: z.number() }).optional(),
});

export const readOnly = { readOnlyHint: true };
export const repeatable = { readOnlyHint: false, idempotentHint: true };

export type Content = CallToolResult["content"];

/** Result of a tool: its values, and a preview if it has one. */
export interface ToolOutput {
  readonly value: object;
  readonly preview?: Content;
}

/** Surroundings of a call. */
interface ToolCall {
  /** Aborts when the client cancels the call, or the server ends. */
  readonly signal: AbortSignal;
  /** Reports progress to a client that has asked for it. */
  readonly progress: (message: string) => void;
  readonly context: ServerContext;
}

/** Returns a function that adds a tool. Errors become results with a code, the problem, the next step and the job. */
export function toolAdder(server: McpServer, { session, maxUsd, signal: ending }: McpContext) {
  return <Input extends z.ZodObject>(
    name: string,
    texts: readonly [title: string, description: string],
    annotations: ToolAnnotations,
    inputSchema: Input,
    output: z.ZodObject,
    work: (input: z.infer<Input>, call: ToolCall) => Promise<ToolOutput | InputRequiredResult>,
  ): void => {
    const [title, description] = texts;
    const outputSchema = output.extend({ budget });
    const hints = { destructiveHint: false, openWorldHint: true, ...annotations };
    server.registerTool<z.ZodObject, z.ZodObject>(
      name,
      { title, description, inputSchema, outputSchema, annotations: hints },
      async (input, context): Promise<CallToolResult | InputRequiredResult> => {
        const { _meta, notify, signal } = context.mcpReq;
        const progressToken = _meta?.progressToken;
        let count = 0;
        const progress = (message: string): void => {
          if (progressToken === undefined) return;
          const params = { progressToken, progress: (count += 1), message };
          notify({ method: "notifications/progress", params }).catch(() => undefined);
        };
        const call = { signal: AbortSignal.any([signal, ending]), progress, context };
        try {
          // The server has parsed the input with the schema.
          const result = await work(input as z.infer<Input>, call);
          if ("resultType" in result) return result;
          const value = outputSchema.parse({ ...result.value, budget: session.budget() });
          const text = { type: "text", text: JSON.stringify(value) } as const;
          return { content: [text, ...(result.preview ?? [])], structuredContent: value };
        } catch (error) {
          const text = describeFailure(error, maxUsd > 0);
          return { isError: true, content: [{ type: "text", text }] };
        }
      },
    );
  };
}

/** Waits up to the maximum duration of a call. Then, or when the call is canceled, returns undefined. */
export async function withinCall<Value>(
  { clock }: TryOn,
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const ended = new AbortController();
  let timer: unknown;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), maxWait);
    signal.addEventListener("abort", () => resolve(undefined), { signal: ended.signal });
  });
  return Promise.race([work, late]).finally(() => {
    clock.clearTimeout(timer);
    ended.abort();
  });
}

function describeFailure(error: unknown, maySell: boolean): string {
  if (error instanceof CommandError) return `${error.code}: ${error.message}`;
  if (error instanceof UsageError) return `invalid_input: ${error.message}`;
  if (!isTryOnError(error)) return `internal_error: ${String(Object(error).message)}`;
  const { code, job } = error;
  let hint: string | undefined;
  if (code === "job_failed") hint = "For a new job with its own charge, submit another variation.";
  if (code === "insufficient_credits") {
    const next = maySell
      ? "Call buy_credits, then repeat submit."
      : "The user can buy credits: tryon credits buy, or the tool buy_credits, which --max-usd allows.";
    hint = `Nothing was charged. ${next}`;
  }
  if ("idempotencyKey" in error) hint = "Repeat submit with the same input: it is charged once.";
  // `describeError` names flags of other commands in errors of inputs.
  const message = code === "invalid_input" ? error.message : describeError(error, hint);
  return `${code}: ${message}${job && !message.includes(job.id) ? ` (${job.id})` : ""}`;
}
