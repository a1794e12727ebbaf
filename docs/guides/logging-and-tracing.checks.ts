import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { isOutput } from "../code/output.ts";
import type { Checks } from "../code/checks.ts";

/** Runs a try-on, and prints its spans as a tree and then as JSON. */
const calls = `
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import { TryOn as Client } from "@tryon/client";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();

const input: TryOnInput = {
  person: "https://shop.example/me.jpg?token=secret",
  garments: ["https://shop.example/shirt.png"],
  prompt: "in the rain",
};
const options = { idempotencyKey: "order-17", sync: false };
await runTraced(new Client({ middleware: traceAttempts }), input, options);

const spans = exporter.getFinishedSpans();
function print(span: ReadableSpan, indent = ""): void {
  console.log(indent + span.name);
  for (const [name, value] of Object.entries(span.attributes)) {
    console.log(\`\${indent}  \${name} = \${String(value)}\`);
  }
  for (const { name, attributes = {} } of span.events) {
    for (const [key, value] of Object.entries(attributes)) {
      console.log(\`\${indent}  \${name}: \${key} = \${String(value)}\`);
    }
  }
  const { spanId } = span.spanContext();
  for (const child of spans) {
    if (child.parentSpanContext?.spanId === spanId) print(child, indent + "  ");
  }
}
for (const span of spans) if (!span.parentSpanContext) print(span);
console.log("JSON", JSON.stringify(spans.map(({ attributes, events, status, resource, name }) => [
  name, attributes, events, status, resource.attributes,
])));
`;

const failed = `
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { TryOn as Client } from "@tryon/client";

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
  prompt: "mock:content_blocked",
} as const;
await runTraced(new Client({ middleware: traceAttempts }), input).catch(() => undefined);
await runTraced(
  new Client({ baseUrl: "http://127.0.0.1:1", retries: 0, middleware: traceAttempts }),
  input,
).catch(() => undefined);
for (const { name, attributes, status } of exporter.getFinishedSpans()) {
  console.log(name, attributes["error.type"], status.code);
}
`;

export const checks: Checks = {
  "tracing.ts": async ({ snippet, run, mock }) => {
    const page = await readFile(join(import.meta.dirname, "logging-and-tracing.md"), "utf8");
    const [tree = ""] = /(?<=```text\n)tryon run\n[^]*?(?=```)/.exec(page) ?? [];
    expect(tree).toContain("tryon read");
    const headers = { "x-request-id": "req_71c" };
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503, retryAfter: 1, headers });
    const [printed = "", exported = ""] = (await run(`${snippet.code}${calls}`)).split("JSON ");
    expect(isOutput(tree, printed) ? tree : printed).toBe(tree);
    expect(exported).toContain("order-17");
    expect(exported).not.toMatch(/svc_|whsec_|secret|shop\.example|in the rain|Bearer|\?/);
    const ends = (await run(`${snippet.code}${failed}`)).trim().split("\n");
    expect(ends).toEqual([
      "tryon submit undefined 0",
      "tryon run job_failed 2",
      "tryon submit undefined 2",
      "tryon run connection_failed 2",
    ]);
  },
};
