import { setupServer } from "msw/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock } from "../mock.ts";
import { baseUrl, behindMsw } from "../../test/behind-msw.ts";
import { handlers } from "./handlers.ts";

describe("an aborted request through msw", () => {
  test("rejects, and its job goes on without console output", async () => {
    const errors = vi.spyOn(console, "error");
    onTestFinished(() => errors.mockRestore());
    const { mock, submit, headers, reached } = behindMsw();
    const abort = new AbortController();
    const response = submit({ wait: true }, { signal: abort.signal }).catch(
      (reason: unknown) => reason,
    );
    await reached;
    abort.abort(new Error("enough"));
    expect(await response).toMatchObject({ message: "enough" });
    await mock.clock.advance("2s");
    const list = await fetch(`${baseUrl}/api/v1/tryon`, { headers });
    expect(await list.json()).toMatchObject({ jobs: [{ status: "succeeded" }] });
    expect(errors).not.toHaveBeenCalled();
  });

  test("rejects while the body of its response is incomplete", async () => {
    const mock = createMock({ clock: "manual" });
    let begin: ((body: ReadableStreamDefaultController<Uint8Array>) => void) | undefined;
    const begun = new Promise<ReadableStreamDefaultController<Uint8Array>>((resolve) => {
      begin = resolve;
    });
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(new Uint8Array(9));
          begin?.(controller);
          return new Promise(() => undefined);
        },
      },
      { highWaterMark: 0 },
    );
    const slow = { ...mock, fetch: () => Promise.resolve(new Response(body)) };
    const server = setupServer(...handlers(slow, { baseUrl }));
    server.listen();
    onTestFinished(() => server.close());
    const abort = new AbortController();
    const response = fetch(`${baseUrl}/results/j.png`, { signal: abort.signal });
    const outcome = response.catch((reason: unknown) => reason);
    const controller = await begun;
    abort.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    controller.close();
  });

  test("may be reading an image", async () => {
    const { mock, submitted, poll } = behindMsw();
    const jobId = await submitted();
    await mock.clock.advance("2s");
    const { result_url } = await poll(jobId);
    const abort = new AbortController();
    const image = await fetch(result_url, { signal: abort.signal });
    abort.abort();
    await image.arrayBuffer().catch((reason: unknown) => reason);
    expect((await fetch(result_url)).status).toBe(200);
  });

  test("rejects like a network error when the server is closed", async () => {
    const { mock } = behindMsw();
    mock.close();
    await expect(fetch(`${baseUrl}/api/discovery`)).rejects.toThrow(TypeError);
  });
});
