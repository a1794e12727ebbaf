import { describe, expect, it, vi } from "vitest";

import type { ReceiverOptions } from "../index.ts";
import {
  behavesAsReceiver,
  deliverTwice,
  handledOnce,
  linesFrom,
  runLines,
} from "../../test/adapter-behaviour.ts";
import type { Start } from "../../test/adapter-behaviour.ts";
import { secret, signedEvent } from "../../test/events.ts";
import { behindGateway, gateways } from "../../test/lambda-gateway.ts";
import { createReceiver } from "./lambda.ts";
import type { LambdaEvent } from "./lambda.ts";

type Handler = (event: LambdaEvent) => ReturnType<ReturnType<typeof createReceiver>>;

/** Middleware that parses the body, like that of middy. */
const parsing =
  (handler: Handler): Handler =>
  (event) =>
    // The types require text, but the middleware returns an object.
    handler({ ...event, body: JSON.parse(event.body ?? "") as string });

const parsed: Start = (options) => behindGateway("v2", parsing(createReceiver(options)));

for (const gateway of gateways) {
  behavesAsReceiver({
    name: `Lambda (${gateway})`,
    start: (options) => behindGateway(gateway, createReceiver(options)),
    readBefore: gateway === "v2" ? { "a middleware": parsed } : {},
    gateway: true,
    lastHeaderOnly: gateway === "alb",
  });
}

it("accepts events after the line of the message is applied to Lambda", async () => {
  const [line = ""] = await linesFrom(parsed);
  const outcome = await deliverTwice((options) => {
    let handler: Handler = parsing(createReceiver(options));
    const exports = {
      set handler(given: Handler) {
        handler = given;
      },
    };
    // A script has no `export`, so the handler is set on an object.
    runLines([line.replace("export const handler", "exports.handler")], {
      exports,
      options,
      createReceiver,
    });
    return behindGateway("v2", (event) => handler(event));
  });
  expect(outcome).toEqual(handledOnce);
});

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
    const decoders = [vi.spyOn(Buffer, "from"), vi.spyOn(globalThis, "atob")];
    try {
      const body = "AAAA".repeat(1_500_000);
      const event = { httpMethod: "POST", headers, body, isBase64Encoded: true };
      expect(await receive(event)).toMatchObject({ statusCode: 400 });
      for (const decoder of decoders) expect(decoder).not.toHaveBeenCalled();
    } finally {
      for (const decoder of decoders) decoder.mockRestore();
    }
  });

  it("decodes base64 with Buffer, or with atob without Buffer", async () => {
    const { body, headers } = await signedEvent("job_1");
    const event = { httpMethod: "POST", headers, isBase64Encoded: true };
    const encoded = { ...event, body: body.toString("base64") };
    const atob = vi.spyOn(globalThis, "atob");
    try {
      expect(await receive(encoded)).toMatchObject({ statusCode: 204 });
      expect(atob).not.toHaveBeenCalled();
      vi.stubGlobal("Buffer", undefined);
      expect(await receive(encoded)).toMatchObject({ statusCode: 204 });
      expect(await receive({ ...event, body: "{ }}" })).toMatchObject({ statusCode: 400 });
    } finally {
      vi.unstubAllGlobals();
      atob.mockRestore();
    }
  });

  it("rejects invalid base64", async () => {
    const { headers } = await signedEvent("job_1");
    const event = { httpMethod: "POST", headers, body: "{ }}", isBase64Encoded: true };
    expect(await receive(event)).toMatchObject({ statusCode: 400 });
  });
});

it.each([true, () => {}])("rejects the option background: %o", (background) => {
  const options: ReceiverOptions = { secrets: secret, onCompleted: () => {}, background };
  expect(() => createReceiver(options)).toThrow(/^background: Lambda stops after/);
});
