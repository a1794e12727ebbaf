import { statSync } from "node:fs";

import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { exchangesIn, newFile, newPath } from "../../test/files.ts";
import { images } from "../images.ts";
import { recorder } from "./recorder.ts";

const session = (): string => newPath("session.ndjson");

const mock = createMock();

function submission(): Request {
  return new Request(`${mock.baseUrl}/proxy/api/v1/tryon`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.keys.test}`, "content-type": "application/json" },
    body: JSON.stringify({
      person_image_b64: images.person,
      garment_images_b64: [images.garment],
      prompt: "a red coat",
      wait: false,
    }),
  });
}

/** Sends a request to the reference server, without the path of a proxy in front of it. */
function send(request: Request): Promise<Response> {
  return mock.fetch(new Request(request.url.replace("/proxy", ""), request));
}

test("records calls, adds to an earlier session, and returns the response as it is", async () => {
  const file = session();
  for (const keepText of [false, true]) {
    const record = recorder({ file, sample: 1, keepText });
    const response = await record(submission(), send);
    expect(await response.json()).toMatchObject({ cost_credits: 0, test_mode: true });
    await record.flush();
  }
  const [first, second] = exchangesIn(file);
  expect(first).toMatchObject({
    path: "/api/v1/tryon",
    key: "unknown",
    request: { body: { person_image_b64: { kind: "png" }, prompt: { kind: "text" } } },
    response: { status: 200, body: { cost_credits: 0 } },
  });
  expect(second?.request.body).toMatchObject({ prompt: "a red coat" });
  expect(statSync(file).mode % 0o1000).toBe(0o600);
});

test("records a number of the user only in the fields of the service", async () => {
  const file = session();
  const record = recorder({ file, sample: 1 });
  const problem = { loc: ["body", "metadata", "age", 3], input: 42, ctx: { given: 42, ok: true } };
  const body = { seed: 7, detail: [{ ...problem, msg: "x", type: "string_type" }], ages: [42] };
  // A path with two slashes would continue a host name.
  await record(new Request("https://tryon.test//r/job.png"), () =>
    Promise.resolve(Response.json(body, { status: 422 })),
  );
  await record.flush();
  const [exchange] = exchangesIn(file);
  const number = { kind: "number" };
  expect(exchange?.response?.body).toEqual({
    seed: 7,
    detail: [
      {
        loc: ["body", "metadata", "age", 3],
        input: number,
        ctx: { given: number, ok: { kind: "boolean" } },
        msg: { kind: "text", characters: 1 },
        type: "string_type",
      },
    ],
    ages: [number],
  });
});

test("records the error of a call, and throws it", async () => {
  const file = session();
  const record = recorder({ file, sample: 1 });
  const error = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  await expect(record(submission(), () => Promise.reject(error))).rejects.toBe(error);
  await record.flush();
  expect(exchangesIn(file)).toMatchObject([{ method: "POST", error: "ECONNRESET" }]);
});

test("records a share of the calls, 1 % by default", async () => {
  const counts = await Promise.all(
    [{ sample: 0 }, {}, { sample: 0.5 }].map(async (options) => {
      const file = newFile("");
      const record = recorder({ file, ...options });
      for (let call = 0; call < 2_000; call += 1) {
        await record(new Request("https://tryon.test/api/v1/account"), () =>
          Promise.resolve(Response.json({})),
        );
      }
      await record.flush();
      return exchangesIn(file).length;
    }),
  );
  expect(counts[0]).toBe(0);
  // Fewer than one run in ten million has a count outside.
  expect(counts[1]).toBeGreaterThan(0);
  expect(counts[1]).toBeLessThan(60);
  expect(counts[2]).toBeGreaterThan(850);
  expect(counts[2]).toBeLessThan(1_150);
});

describe("a call goes on", () => {
  test("when the file cannot be written, which is reported once", async () => {
    const errors: unknown[] = [];
    const record = recorder({
      file: newPath("no/folder/session.ndjson"),
      sample: 1,
      onError: (error) => errors.push(error),
    });
    for (let call = 0; call < 3; call += 1) {
      const response = await record(submission(), send);
      expect(response.status).toBe(200);
      await record.flush();
    }
    expect(errors).toEqual([expect.objectContaining({ code: "ENOENT" })]);
  });

  test("while the recorder has not read the response", async () => {
    const record = recorder({ file: session(), sample: 1 });
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    });
    const headers = { "content-type": "application/json" };
    const response = await record(submission(), () =>
      Promise.resolve(new Response(endless, { headers })),
    );
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe('{"a":');
  });

  test("with an image, which is not copied", async () => {
    const file = session();
    const record = recorder({ file, sample: 1 });
    const bytes = Uint8Array.from(Buffer.from(images.person, "base64"));
    const response = await record(new Request("https://tryon.test/r/job.png?signature=a"), () =>
      Promise.resolve(new Response(bytes, { headers: { "content-type": "image/png" } })),
    );
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    await record.flush();
    expect(exchangesIn(file)[0]?.response).toMatchObject({ status: 200, bytes: 0 });
  });
});
