import { createServer, type AddressInfo, type Socket } from "node:net";

import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { TryOn } from "../index.ts";
import { accountBody } from "../../test/http-server.ts";
import { createService, input } from "../../test/service.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("Node", () => {
  it.each(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])(
    "that gives up by itself with %s is a time-out, and is asked again under the same key",
    async (code) => {
      const { run, error, tryon, faults, submissions, mock } = createService();
      const tooLate = async (): Promise<Response> => {
        const cause = Object.assign(new Error("Headers Timeout Error"), { code });
        throw new TypeError("fetch failed", { cause });
      };
      faults.push(async (_request, pass) => {
        await pass();
        return tooLate();
      });
      const job = await run(tryon.submit(input));
      expect(job.id).toMatch(/^job_/);
      expect(new Set(submissions().map(({ headers }) => headers.get("idempotency-key"))).size).toBe(
        1,
      );
      expect(submissions()).toHaveLength(2);
      expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
      faults.push(tooLate, tooLate, tooLate, tooLate);
      expect(await error(tryon.submit(input))).toMatchObject({
        code: "outcome_unknown",
        cause: { code: "timed_out" },
        attempts: Array.from({ length: 4 }, () => ({ failure: "timed_out" })),
      });
    },
  );

  it("that sends into a connection which the server has just closed sends again", async () => {
    let requests = 0;
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${accountBody.length}\r\n\r\n${accountBody}`;
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      let first = true;
      sockets.push(socket);
      socket
        .on("error", () => undefined)
        .on("data", () => {
          requests += 1;
          if (first) socket.write(answer);
          else socket.destroy();
          first = false;
        });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    // A server that listens on a port has an address of this form.
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tryon = new TryOn({ apiKey: "svc_test_a", baseUrl, random: () => 0.001 });
    for (let count = 0; count < 4; count += 1) {
      expect((await tryon.account.get()).credits_remaining).toBe(5);
    }
    expect(requests).toBeGreaterThan(4);
  });
});

/** The inits of one read, of a fresh copy of the package, whose look at the runtime is not remembered. */
async function inits(): Promise<RequestInit[]> {
  vi.resetModules();
  const { TryOn: Fresh } = await import("../index.ts");
  const seen: RequestInit[] = [];
  const tryon = new Fresh({
    apiKey: "svc_test_a",
    baseUrl: "https://tryon.example",
    fetch: async (_url, init) => {
      seen.push(init);
      return new Response(
        init.method === "GET" ? accountBody : '{"job_id":"job_1","status":"running"}',
      );
    },
  });
  await tryon.account.get();
  await tryon.submit(input);
  return seen;
}

describe("a cache", () => {
  it("is told to keep no answer of the service", async () => {
    const [read, submission] = await inits();
    expect(read).toMatchObject({ method: "GET", cache: "no-store" });
    expect(submission).not.toHaveProperty("cache");
  });

  it.each([
    [
      "throws at the field",
      () => {
        throw new TypeError("The 'cache' field is not implemented");
      },
    ],
    ["does not know the field", () => ({})],
  ])("is left alone where the runtime %s", async (_what, construct) => {
    // An arrow function cannot be called with `new`.
    vi.stubGlobal("Request", function FakeRequest() {
      return construct();
    });
    for (const init of await inits()) expect(init).not.toHaveProperty("cache");
  });
});
