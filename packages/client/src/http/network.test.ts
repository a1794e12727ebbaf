import { openAsBlob } from "node:fs";
import { inspect } from "node:util";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { assetPath } from "@tryon/test-kit/repository";
import { describe, expect, it, onTestFinished } from "vitest";

import { isTryOnError, TryOn, type TryOnOptions } from "../index.ts";
import { accountBody, closedUrl, httpServer } from "../../test/http-server.ts";
import { input, profiles } from "../../test/service.ts";
import { createRawClient } from "../raw/index.ts";

const apiKey = "svc_live_secret0123456789";

/** A client whose pauses between attempts are as good as none. */
function client(baseUrl: string, options: TryOnOptions = {}): TryOn {
  return new TryOn({ apiKey, baseUrl, random: () => 0.001, ...options });
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error("It did not fail."),
    (error: unknown) => error,
  );
}

describe.each(profiles)("over real HTTP under the profile %s", (profile) => {
  it("makes a try-on from a file and fetches its image", async () => {
    const mock = createMock({ profile, latency: "20ms" });
    const server = await serve(mock, { port: 0 });
    onTestFinished(() => server.close());
    const tryon = client(`${server.url}/`, { apiKey: mock.keys.live });
    const person = await openAsBlob(assetPath("person.jpg"));
    const result = await tryon.run({ person, garments: [person] });
    expect(result.receipt.attempts).toHaveLength(1);
    expect((await tryon.jobs.get(result.job.id).catch(() => result.job)).id).toBe(result.job.id);
    expect((await tryon.account.get()).credits_remaining).toBe(992);
  });

  it("waits for a submitted job by polling", async () => {
    const mock = createMock({ profile, latency: "20ms" });
    const server = await serve(mock, { port: 0 });
    onTestFinished(() => server.close());
    const tryon = client(server.url, { apiKey: mock.keys.test });
    const job = await tryon.submit(input);
    const result = await job.result();
    expect(result.receipt.credits).toBe(0);
  });
});

describe("a redirect", () => {
  it("is never followed, and its target is named", async () => {
    const target = await httpServer((response) => response.end(accountBody));
    const { url, got } = await httpServer((response) => {
      response.writeHead(307, { location: `${target.url}/api/v1/tryon/` }).end();
    });
    const calls = [
      () => client(url).account.get(),
      () => client(url).submit(input),
      () => createRawClient(client(url)).GET("/api/v1/account"),
    ];
    for (const call of calls) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: "redirected", status: 307 });
      expect(String(error)).toContain(target.url);
    }
    expect(got).toHaveLength(3);
    expect(target.got).toEqual([]);
  });

  it("is known when a browser hides it", async () => {
    const opaque = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
    const tryon = client("https://tryon.example", { fetch: async () => opaque });
    expect(await failure(tryon.account.get())).toMatchObject({ code: "redirected" });
  });
});

describe("a body", () => {
  it.each([
    [
      400,
      "text/html",
      "<html><head><style>a{}</style></head><body><h1>Bad &amp; ugly</h1></body></html>",
      "bad_request",
    ],
    [403, "application/xml", "<Error><Code>AccessDenied</Code></Error>", "forbidden"],
    [404, "text/plain", "", "not_found"],
    [418, "text/plain", "teapot", "bad_request"],
    [
      422,
      "application/json",
      '{"detail":[{"loc":["body","prompt"],"msg":"too',
      "validation_failed",
    ],
    [422, "application/json", '{"detail":"one sentence"}', "validation_failed"],
    [422, "application/json", "[1,2]", "validation_failed"],
    [500, "application/json", "null", "server_error"],
    [503, "text/html", "<h1>Busy</h1>", "unavailable"],
    [599, "text/html", "?", "server_error"],
    [200, "text/html", "<html>Sign in</html>", "unexpected_response"],
    [200, "application/json", '"text"', "unexpected_response"],
    [200, "application/json", "", "unexpected_response"],
    [204, "application/json", "", "unexpected_response"],
    [200, "application/json", '{"name":', "unexpected_response"],
  ])("of any kind gives a typed error: %i %s %s", async (status, type, body, code) => {
    const { url } = await httpServer((response) => {
      response
        .writeHead(status, { "content-type": type, "x-request-id": "req_1" })
        .end(status === 204 ? undefined : body);
    });
    const error = await failure(client(url).account.get());
    expect(error).toMatchObject({ code, status, requestId: "req_1" });
    expect(String(error).length).toBeLessThan(800);
    expect(String(error)).not.toContain("<");
  });

  it("of 50 MB gives an error of bounded size, soon", async () => {
    const { url } = await httpServer((response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.on("error", () => undefined);
      response.write('{"detail":"');
      for (let count = 0; count < 50; count += 1) response.write("a".repeat(2 ** 20));
      response.end('"}');
    });
    const error = await failure(client(url).account.get());
    expect(error).toMatchObject({ code: "bad_request" });
    expect(inspect(error, { depth: 9 }).length).toBeLessThan(5_000);
  });

  it("that breaks off is asked for again", async () => {
    const { url, got } = await httpServer((response, _got, count) => {
      response.writeHead(200, { "content-length": accountBody.length });
      if (count > 1) response.end(accountBody);
      else response.write(accountBody.slice(0, 20), () => response.destroy());
    });
    expect((await client(url).account.get()).credits_remaining).toBe(5);
    expect(got).toHaveLength(2);
  });

  it("that never ends is given up after attemptTimeout", async () => {
    const { url } = await httpServer((response) => {
      response.writeHead(200).write("{");
    });
    const error = await failure(client(url, { attemptTimeout: 50, retries: 0 }).account.get());
    expect(error).toMatchObject({ code: "timed_out", attempts: [{ failure: "timed_out" }] });
  });
});

describe("a connection", () => {
  it("that is cut before the answer is made again, with the same key and bytes", async () => {
    const { url, got } = await httpServer((response, _got, count) => {
      if (count < 3) response.destroy();
      else response.end(JSON.stringify({ job_id: "job_1", status: "running" }));
    });
    const job = await client(url).submit(input);
    expect(job.id).toBe("job_1");
    expect(got).toHaveLength(3);
    expect(new Set(got.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(new Set(got.map(({ body }) => body)).size).toBe(1);
    expect(got[0]?.headers).toMatchObject({
      "content-type": "application/json",
      authorization: `Bearer ${apiKey}`,
    });
  });

  it("that nobody takes is connection_failed with the address of the mistake", async () => {
    const error = await failure(client(await closedUrl()).submit(input));
    expect(error).toMatchObject({ code: "connection_failed" });
    expect(String(error)).toContain("ECONNREFUSED");
    expect(String(error)).toContain("TRYON_BASE_URL");
  });

  it("ends at once when the caller aborts while headers or body are awaited", async () => {
    for (const start of ["", "{"]) {
      const { url, got } = await httpServer((response) => {
        if (start !== "") response.writeHead(200).write(start);
      });
      const controller = new AbortController();
      const work = failure(client(url).account.get({ signal: controller.signal }));
      while (got.length === 0)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      const reason = new Error("enough");
      controller.abort(reason);
      expect(await work).toBe(reason);
    }
  });
});

describe("an error", () => {
  it("drops the input that a validation error repeats, and names the field", async () => {
    const image = "iVBORw0KGgo".repeat(1_000);
    const { url } = await httpServer((response) => {
      const issue = {
        loc: ["body", "garment_urls", 0],
        msg: `bad: ${image}`,
        type: "url_parsing",
        input: image,
        ctx: { image },
      };
      response
        .writeHead(422, { "content-type": "application/json" })
        .end(JSON.stringify({ detail: [issue] }));
    });
    const error = await failure(client(url).submit(input));
    if (!isTryOnError(error, "validation_failed")) throw error;
    expect(error.field("garment_urls.0")).toMatchObject({ type: "url_parsing" });
    expect(error.field("prompt")).toBeUndefined();
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain("iVBORw0KGgoiVBOR");
  });

  it("shows the key nowhere, also when the service repeats it", async () => {
    const { url } = await httpServer((response) => {
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ detail: `Invalid key ${apiKey}` }));
    });
    const tryon = client(url);
    const error = await failure(tryon.run(input));
    const job = tryon.jobs.resume("job_1");
    for (const shown of [
      error,
      tryon,
      job,
      tryon.jobs,
      tryon.account,
      tryon.credits,
      tryon.jobs.list(),
    ]) {
      expect(inspect(shown, { depth: 20, showHidden: true })).not.toContain("secret0123456789");
      expect(JSON.stringify(shown)).not.toContain("secret0123456789");
    }
    expect(String(error)).toContain("[API key]");
  });
});
