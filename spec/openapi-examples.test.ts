import { describe, expect, it } from "vitest";
import { openapi, operations, problems, webhooks, type Schema } from "./openapi-document.ts";

interface Example {
  readonly title: string;
  readonly schema: Schema;
  readonly value: unknown;
}

const bodies = [...operations, ...webhooks].flatMap((operation) => [
  ...Object.values(operation.request).map((media) => ({
    title: `${operation.title} request`,
    ...media,
  })),
  ...[...operation.responses].flatMap(([status, { content }]) =>
    Object.values(content).map((media) => ({ title: `${operation.title} ${status}`, ...media })),
  ),
]);

const bodyExamples: readonly Example[] = bodies.flatMap(({ title, schema, examples = {} }) =>
  Object.entries(examples).map(([name, { value }]) => ({
    title: `${title}: ${name}`,
    schema,
    value,
  })),
);

const fieldExamples: readonly Example[] = [...operations, ...webhooks].flatMap((operation) => [
  ...operation.parameters.map(({ name, schema, example }) => ({
    title: `${operation.title} ${name}`,
    schema,
    value: example,
  })),
  ...[...operation.responses].flatMap(([status, { headers }]) =>
    [...headers].map(([name, { schema, example }]) => ({
      title: `${operation.title} ${status} ${name}`,
      schema,
      value: example,
    })),
  ),
]);

describe("examples of the contract", () => {
  it("are there for every body, parameter and header", () => {
    const bare = bodies.filter(({ examples = {} }) => Object.keys(examples).length === 0);
    const silent = fieldExamples.filter(({ value }) => value === undefined);
    expect([...bare, ...silent].map(({ title }) => title)).toEqual([]);
  });

  it.each([...bodyExamples, ...fieldExamples])("fit their schema: $title", ({ schema, value }) => {
    expect(problems(schema, value)).toEqual([]);
  });

  it.each([
    ["POST /api/v1/tryon request", ["minimal", "all_fields", "base64", "aliases"]],
    ["POST /api/v1/tryon 200", ["sync_success", "sync_limit", "async", "sync_failure", "test_key"]],
    ["GET /api/v1/tryon/{job_id} 200", ["running", "succeeded", "failed"]],
    ["POST /api/v1/credits/purchase 200", ["succeeded", "processing", "requires_action"]],
    ["tryon.completed request", ["succeeded", "failed"]],
  ])("show each shape of %s", (title, names) => {
    const body = bodies.find((candidate) => candidate.title === title);
    expect(Object.keys(body?.examples ?? {})).toEqual(names);
  });

  it("name jobs as the service does, job_ and 24 letters or digits", () => {
    const names = JSON.stringify(openapi).match(/(?<=[" /])job_(?!id\b)\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !/^job_[a-zA-Z0-9]{24}$/.test(name))).toEqual([]);
  });
});
