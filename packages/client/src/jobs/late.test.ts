import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("./run.ts");
});

it("keeps the job on the error when the part that waits for jobs cannot be loaded, and tries again later", async () => {
  vi.resetModules();
  vi.doMock("./run.ts", () => {
    throw new Error("A chunk of the page is gone.");
  });
  const { TryOn } = await import("../index.ts");
  const fetch = vi.fn<() => Promise<Response>>(async () =>
    Response.json({ job_id: "job_1", status: "failed" }),
  );
  const tryon = new TryOn({ apiKey: "svc_test_a", baseUrl: "https://tryon.example", fetch });
  const job = tryon.jobs.resume("job_1");
  const wait = (signal?: AbortSignal): Promise<unknown> =>
    job.result({ signal }).catch((thrown: unknown) => thrown);
  expect(await wait()).toMatchObject({ code: "connection_failed", job: { id: "job_1" } });
  const controller = new AbortController();
  const aborted = wait(controller.signal);
  controller.abort("enough");
  expect(await aborted).toBe("enough");
  // The loading that was left alone ends, too, before the part is there.
  expect(await wait()).toMatchObject({ code: "connection_failed" });
  expect(fetch).not.toHaveBeenCalled();
  vi.doUnmock("./run.ts");
  expect(await wait()).toMatchObject({ code: "job_failed", job: { id: "job_1" } });
});
