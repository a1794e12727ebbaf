import { expect, it } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";

const wrongType = {
  loc: ["header", "content-type"],
  type: "content_type",
  msg: "The content type must be application/json.",
};
const wrongJson = { loc: ["body"], type: "json_invalid", msg: "The body must be a JSON object." };
const wrongBytes = "The body is incomplete or not UTF-8.";

it.each([
  ["text/plain;application/json", "{}", [wrongType]],
  ["application/json/x", "{}", [wrongType]],
  ["application/+json", "{}", [wrongType]],
  ["application/json", "{", [wrongJson]],
  ["application/json", "null", [wrongJson]],
  ["application/json", Uint8Array.of(0x7b, 0xff), wrongBytes],
  // The last character is cut off.
  ["application/json", Uint8Array.of(0x7b, 0xc3), wrongBytes],
])("the proxy explains why it rejects %s with the body %o", async (type, body, detail) => {
  const { post, sent } = createProxyService();
  const response = await post("ada", body, { "content-type": type });
  expect(await response.json()).toEqual({ detail });
  expect(sent).toEqual([]);
});

it.each(["application/vnd.api-1.x+json", "APPLICATION/JSON  ; charset=utf-8"])(
  "the proxy accepts the content type %s",
  async (type) => {
    const { post, run } = createProxyService();
    const response = await run(post("ada", tryOn, { "content-type": type }));
    expect(response.status).toBe(200);
  },
);

it.each([
  [0, 200],
  [-1, 413],
])("the proxy with a maxBody of the body's size plus %i responds with %i", async (more, status) => {
  const body = JSON.stringify(tryOn);
  const { post, run } = createProxyService({ maxBody: body.length + more });
  for (const headers of [{}, { "content-length": `${body.length}` }]) {
    const response = await run(post("ada", body, headers));
    expect(response.status).toBe(status);
  }
});

it.each([
  [256, 422],
  [257, 400],
])("the proxy responds to %i list items with %i", async (count, status) => {
  const { post } = createProxyService();
  expect((await post("ada", { items: Array(count).fill(0) })).status).toBe(status);
});
