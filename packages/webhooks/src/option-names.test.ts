import { expect, it } from "vitest";
import {
  createMemoryStore,
  createReceiver,
  explain,
  sign,
  signedRequest,
  verify,
} from "./index.ts";
import { safeVerify } from "./index.ts";
import { safeVerifySync, verifySync } from "./node/index.ts";

const secret = "whsec_test";
const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const headers = { "X-Service-Signature": await sign({ body, secret }) };
const delivery = { body, headers, secrets: secret };
const receiver = { secrets: secret, onCompleted: () => undefined };

/** Calls a function with an option that its types forbid. */
type Call = (options: object) => unknown;

const unknownOptions: [string, string, Call][] = [
  ["createReceiver", "onComplete", (given) => createReceiver({ ...receiver, ...given })],
  ["createReceiver", "dedupe_ttl", (given) => createReceiver({ ...receiver, ...given })],
  ["createMemoryStore", "maxevents", createMemoryStore],
  ["signedRequest", "header", (given) => signedRequest({}, { secret, ...given })],
];
const likely: Readonly<Record<string, string>> = {
  onComplete: "onCompleted",
  dedupe_ttl: "dedupeTtl",
  maxevents: "maxEvents",
  header: "headers",
};

it.each(unknownOptions)("%s rejects the unknown option %s with the likely name", async (...row) => {
  const [, name, call] = row;
  const hint = likely[name] ? `Did you mean ${likely[name]}?` : "Use one of: ";
  const error = `${name} is not an option of ${row[0]}. ${hint}`;
  await expect((async () => call({ [name]: 1 }))()).rejects.toThrow(error);
});

it.each<[string, Call]>([
  ["verify", (given) => verify({ ...delivery, ...given })],
  ["safeVerify", (given) => safeVerify({ ...delivery, ...given })],
  ["explain", (given) => explain({ ...delivery, ...given })],
  ["verifySync", (given) => verifySync({ ...delivery, ...given })],
  ["safeVerifySync", (given) => safeVerifySync({ ...delivery, ...given })],
])("%s rejects an unknown option with all that it has", async (_name, call) => {
  await expect((async () => call({ maxage: 1 }))()).rejects.toThrow(
    /^maxage is not an option of verify\. Use one of: .*\bmaxAge, .*\.$/,
  );
});

it("ignores an unknown option that is undefined", async () => {
  expect(await safeVerify(Object.assign({ maxage: undefined }, delivery))).toMatchObject({
    ok: true,
  });
});
