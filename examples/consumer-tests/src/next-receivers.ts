import { readFile } from "node:fs/promises";

import type { AppFolder } from "@tryon/test-kit/app-folder";
import { createPagesReceiver, createReceiver } from "@tryon/webhooks/next";
import { linesOf } from "@tryon/webhooks/testing/adapter-behaviour";
import { secret, signedEvent, unicodeText } from "@tryon/webhooks/testing/events";
import { head, send, untilClosed } from "@tryon/webhooks/testing/senders";
import { describe, expect, it } from "vitest";

/** Paths of a correct route handler and API route, and of two with a mistake. */
const correct = ["/hook", "/api/hook"];
const mistaken = ["/read", "/api/parsed"];

const imports = (up: string) => `
  import { createPagesReceiver, createReceiver } from "@tryon/webhooks/next";
  import { options } from "${up}/options.js";
`;

/** Adds routes of both kinds to an app, before it is built. */
export async function addReceivers(example: AppFolder): Promise<void> {
  const [route = "", config = ""] = await Promise.all([routeLine(), pagesLine()]);
  const files = {
    "options.js": `
      import { appendFile } from "node:fs/promises";
      export const options = {
        secrets: ${JSON.stringify(secret)},
        async onCompleted(event) {
          if (event.error_code === "throw") throw new Error("down");
          await appendFile("handled", JSON.stringify([event.job_id, event.error_message]) + "\\n");
        },
      };`,
    "app/hook/route.js": `${imports("../..")} ${route}`,
    "app/read/route.js": `${imports("../..")}
      const receive = createReceiver(options);
      export async function POST(request) { await request.json(); return receive(request); }`,
    "pages/api/hook.js": `${imports("../..")} ${config} export default createPagesReceiver(options);`,
    "pages/api/parsed.js": `${imports("../..")} export default createPagesReceiver(options);`,
  };
  for (const [path, text] of Object.entries(files)) await example.write(path, text);
  // Next.js reads the body of a request before its proxy.
  const proxy = await readFile(example.path("proxy.ts"), "utf8");
  const matcher = 'matcher: ["/", "/hook", "/api/hook"]';
  await example.write("proxy.ts", proxy.replace('matcher: "/"', matcher));
}

/** Returns the line of code in the response of a route handler that has read its request. */
async function routeLine(): Promise<string | undefined> {
  const receive = createReceiver({ secrets: secret, onCompleted: () => {}, onError: () => {} });
  const { body, headers } = await signedEvent("job_1");
  const init = { method: "POST", headers, body: new Uint8Array(body) };
  const request = new Request("http://localhost", init);
  await request.json();
  const response = await receive(request);
  // Every error response is an object with a message.
  return linesOf(((await response.json()) as { message: string }).message)[0];
}

/** Returns the line of code in the response of an API route with a parsed request. */
async function pagesLine(): Promise<string | undefined> {
  const receive = createPagesReceiver({
    secrets: secret,
    onCompleted: () => {},
    onError: () => {},
  });
  const { headers } = await signedEvent("job_1");
  let response = "";
  const parsed = {
    method: "POST",
    headers,
    body: { event: "tryon.completed" },
    readableDidRead: true,
    async *[Symbol.asyncIterator]() {},
  };
  const end = (text = "") => {
    response = text;
  };
  await receive(parsed, { statusCode: 200, headersSent: false, setHeader: () => {}, end });
  return linesOf(response).at(-1);
}

export function testReceivers(
  app: () => { readonly example: AppFolder; readonly port: number },
): void {
  async function handled(job: string): Promise<readonly unknown[]> {
    const text = await readFile(app().example.path("handled"), "utf8").catch(() => "");
    const lines = text.split("\n").filter((line) => line !== "");
    return lines
      .map((line): unknown => JSON.parse(line))
      .filter((line) => String(line).startsWith(job));
  }

  describe.each(correct)("a receiver at %s of a Next.js app", (path) => {
    const job = `job${path.replaceAll("/", "_")}`;

    it("with the line of the message handles an event once that is sent twice, also in chunks", async () => {
      const { body, headers } = await signedEvent(job);
      expect(await send(app().port, { path, headers, body })).toMatchObject({ status: 204 });
      const pieces = Array.from(body, (byte) => Uint8Array.of(byte));
      expect(await send(app().port, { path, headers, pieces })).toMatchObject({ status: 204 });
      expect(await handled(job)).toEqual([[job, unicodeText]]);
    });

    it("rejects a wrong signature, two signatures, another method, and a handler that throws", async () => {
      const { body, headers } = await signedEvent(`${job}-rejected`);
      const forged = { ...headers, "x-service-signature": `sha256=${"0".repeat(64)}` };
      expect(await send(app().port, { path, headers: forged, body })).toMatchObject({
        status: 400,
      });
      const signature = `x-service-signature: ${headers["x-service-signature"] ?? ""}`;
      const lines = [signature, signature, "content-length: 0", "connection: close"];
      const twice = await untilClosed(app().port, head(lines).replace("/webhooks/tryon", path));
      expect(twice).toContain('"code":"multiple_signatures"');
      expect(await send(app().port, { path, method: "GET" })).toMatchObject({ status: 405 });
      const throwing = await signedEvent(`${job}-rejected`, "throw");
      expect(await send(app().port, { path, ...throwing })).toMatchObject({ status: 500 });
      expect(await handled(`${job}-rejected`)).toEqual([]);
    });

    it("rejects a body over the limit", async () => {
      const { headers } = await signedEvent(job);
      const body = Buffer.alloc(2_000_000);
      expect(await send(app().port, { path, headers, body })).toMatchObject({ status: 413 });
    });
  });

  it.each(mistaken)(
    "a receiver at %s with a body that was read names the line to add",
    async (path) => {
      const response = await send(app().port, { path, ...(await signedEvent("job_read")) });
      expect(response).toMatchObject({
        status: 500,
        text: expect.stringContaining('"code":"raw_body_required","message":"The body'),
      });
      expect(response.text).toContain("Next.js: ");
      expect(await handled("job_read")).toEqual([]);
    },
  );
}
