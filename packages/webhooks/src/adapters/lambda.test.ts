import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { ReceiverOptions } from "../index.ts";
import { behavesAsReceiver, runLines, type Start } from "../../test/adapter-behaviour.ts";
import { secret, signedEvent } from "../../test/events.ts";
import { behindGateway, gateways } from "../../test/lambda-gateway.ts";
import { createReceiver, type LambdaEvent } from "./lambda.ts";

type Handler = (event: LambdaEvent) => ReturnType<ReturnType<typeof createReceiver>>;

/** Middleware that parses the body, like that of middy. */
const parsing =
  (handler: Handler): Handler =>
  (event) =>
    // The types require text, but the middleware returns an object.
    handler({ ...event, body: JSON.parse(event.body ?? "") as string });

const parsed: Start = (options) => behindGateway("v2", parsing(createReceiver(options)));

/** Runs the line of the message. A script has no `export`, so it sets the handler of an object. */
const exported =
  (line = ""): Start =>
  (options) => {
    const exports = { handler: parsing(createReceiver(options)) };
    const script = line.replace("export const handler", "exports.handler");
    runLines([script], { exports, options, createReceiver });
    return behindGateway("v2", (event) => exports.handler(event));
  };

for (const gateway of gateways) {
  const fixes = {
    readBefore: { "a middleware": parsed },
    applyFix: ([line]: readonly string[]) => [exported(line)],
  };
  behavesAsReceiver({
    name: `Lambda (${gateway})`,
    start: (options) => behindGateway(gateway, createReceiver(options)),
    ...(gateway === "v2" ? fixes : { readBefore: {} }),
    gateway: true,
    lastHeaderOnly: gateway === "alb",
  });
}

describe("a Lambda function", () => {
  const receive = createReceiver({ secrets: secret, onCompleted: () => {}, onError: () => {} });

  it.each<[string, LambdaEvent | null | undefined]>([
    ["no value", undefined],
    ["null", null],
    ["no fields", {}],
    ["null headers, as from the test button of the console", { headers: null }],
    ["queue messages", { Records: [] } as LambdaEvent],
  ])("responds with 405 to an event with %s", async (_name, event) => {
    expect(await receive(event)).toMatchObject({ statusCode: 405, isBase64Encoded: false });
  });

  it.each([
    ["no signature", {}],
    ["a malformed signature", { "x-service-signature": "sha256=00" }],
  ])("rejects a request with %s without decoding its body", async (_name, headers) => {
    const decode = vi.spyOn(Buffer, "from");
    onTestFinished(() => decode.mockRestore());
    const event = { httpMethod: "POST", headers, body: "AAAA", isBase64Encoded: true };
    expect(await receive(event)).toMatchObject({ statusCode: 400 });
    expect(decode).not.toHaveBeenCalled();
  });

  it("rejects invalid base64", async () => {
    const { headers } = await signedEvent("job_1");
    const event = { httpMethod: "POST", headers, body: "{ }}", isBase64Encoded: true };
    expect(await receive(event)).toMatchObject({ statusCode: 400 });
  });
});

it.each([true, () => {}])("rejects the option background: %o", (background) => {
  const options: ReceiverOptions = { secrets: secret, onCompleted: () => {}, background };
  expect(() => createReceiver(options)).toThrow(/^background has no time: Lambda stops after/);
});
