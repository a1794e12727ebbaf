import { describe, expect, it } from "vitest";

import type { TryOnResult } from "../index.ts";
import { answering, createWorld, cut, input, profiles, type Fault } from "../../test/world.ts";

const pngStart = [0x89, 0x50, 0x4e, 0x47];

describe.each(profiles)("an image under the profile %s", (profile) => {
  it("comes as bytes, blob and stream, and sends nothing of ours", async () => {
    const { run, tryon, sent } = createWorld({ profile });
    const { image, job } = await run(tryon.run(input));
    await run(tryon.jobs.get(job.id).catch(() => undefined));
    const bytes = await run(image.bytes());
    expect([...bytes.subarray(0, 4)]).toEqual(pngStart);
    const blob = await run(image.blob());
    expect(blob).toMatchObject({ type: "image/png", size: bytes.length });
    const stream = await run(image.stream());
    expect((await run(new Response(stream).bytes())).length).toBe(bytes.length);
    const fetched = sent.filter(({ url }) => url.includes("/results/"));
    expect(fetched).toHaveLength(3);
    expect(fetched.flatMap(({ headers }) => [...headers.keys()])).toEqual([]);
  });

  it("has its address renewed after a day, and when the store refuses it", async () => {
    const { run, tryon, sent, mock } = createWorld({ profile });
    const { image } = await run(tryon.run(input));
    const first = await run(image.url());
    expect(await run(image.url())).toBe(first);
    await mock.clock.advance("25h");
    const before = sent.length;
    expect([...(await run(image.bytes())).subarray(0, 4)]).toEqual(pngStart);
    expect(sent.length - before).toBe(2);
    expect(await run(image.url())).not.toBe(first);
  });

  it("is result_purged after 30 days", async () => {
    const { run, error, tryon, mock } = createWorld({ profile });
    const { image, job } = await run(tryon.run(input));
    await mock.clock.advance("31d");
    expect(await error(image.bytes())).toMatchObject({
      code: "result_purged",
      job: { id: job.id },
    });
    expect(await error(image.url())).toMatchObject({ code: "result_purged" });
  });
});

describe("an image", () => {
  it.each([400, 403, 404, 410])("asks for a fresh address once after a %i", async (status) => {
    const { run, error, tryon, faults, sent } = createWorld();
    const { image } = await run(tryon.run(input));
    const before = sent.length;
    const refusal = answering(status, "<Error><Code>AccessDenied</Code></Error>");
    faults.push(refusal);
    expect((await run(image.bytes())).length).toBeGreaterThan(100);
    expect(sent.slice(before).map(({ path }) => path.split("/")[1])).toEqual([
      "results",
      "api",
      "results",
    ]);
    faults.push(refusal, undefined, refusal);
    const code = status === 404 || status === 410 ? "result_purged" : "result_expired";
    expect(await error(image.bytes())).toMatchObject({ code, status, attempts: { length: 2 } });
  });

  it("is fetched again when the store or the transfer fails", async () => {
    const { run, tryon, faults } = createWorld();
    const { image, job } = await run(tryon.run(input));
    await run(job.result());
    const whole = await run(image.bytes());
    const broken: Fault = async () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(whole.slice(0, 9));
            controller.error(new Error("reset"));
          },
        }),
      );
    faults.push(answering(503, "busy"), cut.before, broken);
    expect(await run(image.bytes())).toEqual(whole);
  });

  it("that comes up short is fetched again", async () => {
    const { run, tryon, faults } = createWorld();
    const { image } = await run((await run(tryon.submit(input))).result());
    const whole = await run(image.bytes());
    faults.push(async () => new Response(whole.slice(0, 100)));
    expect(await run(image.bytes())).toEqual(whole);
  });

  it.each(["bytes", "blob", "stream"] as const)(
    "fails as soon as more arrives than result_bytes says, as %s",
    async (form) => {
      const { run, error, tryon, faults, sent } = createWorld();
      const { image, job } = await run((await run(tryon.submit(input))).result());
      const size = job.data.result_bytes ?? 0;
      expect(size).toBeGreaterThan(1_000);
      const body = long(1_000);
      faults.push(async () => new Response(body.stream));
      const before = sent.length;
      expect(await error(read(image, form))).toMatchObject({
        code: "unexpected_response",
        message: expect.stringContaining(
          `The image of job ${job.id} exceeds its result_bytes (${size} bytes).`,
        ),
      });
      expect(body.given()).toBeLessThan(size + 4_000);
      expect(body.isCanceled()).toBe(true);
      expect(sent).toHaveLength(before + 1);
    },
  );

  it.each([
    [{ maxResultBytes: 5_000 }, 1_000, "5000"],
    [{}, 10_000, "67108864"],
  ])("fails above %o, and names the limit and the option", async (options, chunk, limit) => {
    const { run, error, client, faults, mock } = createWorld();
    const result_url = "https://store.example/a.png";
    faults.push(answering(200, { job_id: "job_1", status: "succeeded", result_url }));
    const { image } = await run(client(options).run(input));
    for (const form of ["bytes", "stream"] as const) {
      const body = long(chunk);
      faults.push(async () => new Response(body.stream));
      expect(await error(read(image, form))).toMatchObject({
        code: "unexpected_response",
        job: { id: "job_1" },
        message: `The image of job job_1 exceeds maxResultBytes (${limit} bytes). Raise maxResultBytes of the client to allow it.`,
      });
      expect(body.given()).toBeLessThan(Number(limit) + 4 * chunk);
      expect(body.isCanceled()).toBe(true);
    }
    expect(mock.clock.pending).toBe(0);
  });

  it("that comes up short makes its stream fail", async () => {
    const { run, error, tryon, faults } = createWorld();
    const { image } = await run((await run(tryon.submit(input))).result());
    faults.push(async () => new Response(new Uint8Array(100)));
    expect(String(await error(read(image, "stream")))).toContain("ended after 100 of");
  });

  it("is given up when nothing comes for 30 seconds, and not while something comes", async () => {
    const { run, error, client, faults, mock } = createWorld();
    const { image } = await run(client({ retries: 0 }).run(input));
    const whole = await run(image.bytes());
    const drip: Fault = async () => {
      let next = 0;
      return new Response(
        new ReadableStream({
          pull: async (controller) => {
            await new Promise<void>((resolve) => {
              mock.clock.setTimeout(resolve, 25_000);
            });
            if (next >= whole.length) return controller.close();
            controller.enqueue(whole.slice(next, (next += Math.ceil(whole.length / 4))));
          },
        }),
      );
    };
    faults.push(drip);
    expect(await run(image.bytes())).toEqual(whole);
    faults.push(async () => new Response(new ReadableStream()));
    expect(await error(image.bytes())).toMatchObject({ code: "timed_out" });
  });

  it("streams to a reader that takes its time", async () => {
    const { run, tryon, faults, mock } = createWorld();
    const { image } = await run(tryon.run(input));
    const whole = await run(image.bytes());
    faults.push(async () => new Response(whole));
    const stream = await run(image.stream());
    await mock.clock.advance("60s");
    expect(await run(new Response(stream).bytes())).toEqual(whole);
    expect(mock.clock.pending).toBe(0);
  });

  it("streams until the caller aborts, with the caller's reason", async () => {
    const { run, error, tryon, faults, mock } = createWorld();
    const { image } = await run(tryon.run(input));
    faults.push(
      async () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(4)) }),
        ),
    );
    const controller = new AbortController();
    const reader = (await run(image.stream({ signal: controller.signal }))).getReader();
    expect((await reader.read()).value).toHaveLength(4);
    const rest = error(reader.read());
    controller.abort("enough");
    expect(await rest).toBe("enough");
    expect(mock.clock.pending).toBe(0);
    const other = await run(image.stream());
    await other.cancel();
    expect(mock.clock.pending).toBe(0);
  });

  it("is not fetched from what is no web address, nor through a redirect", async () => {
    const { run, error, tryon, faults } = createWorld();
    faults.push(
      answering(200, { job_id: "job_1", status: "succeeded", result_url: "file:///etc/passwd" }),
    );
    const { image } = await run(tryon.run(input));
    expect(await error(image.bytes())).toMatchObject({ code: "unexpected_response" });
    const other = await run(tryon.run(input));
    faults.push(answering(302, "", { location: "https://elsewhere.example/a.png" }));
    expect(await error(other.image.bytes())).toMatchObject({ code: "redirected" });
  });
});

/** A body of 7,500 chunks. Reports how many bytes it gave, and whether its reader canceled it. */
function long(chunk: number) {
  let given = 0;
  let isCanceled = false;
  const bytes = new Uint8Array(chunk);
  const stream = new ReadableStream({
    pull(controller) {
      given += chunk;
      if (given > 7_500 * chunk) controller.close();
      else controller.enqueue(bytes);
    },
    cancel() {
      isCanceled = true;
    },
  });
  return { stream, given: () => given, isCanceled: () => isCanceled };
}

/** Reads an image to its end. */
async function read(image: TryOnResult["image"], form: "bytes" | "blob" | "stream") {
  const given = await image[form]();
  if (!(given instanceof ReadableStream)) return;
  const reader = given.getReader();
  for (;;) if ((await reader.read()).done) return;
}
