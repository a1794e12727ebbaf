import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@tryon/test-kit/repository";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { WebhookVector } from "@tryon/spec/vectors/webhook-vector";
import { safeVerify, sign } from "../index.ts";
import { safeVerifySync, type VerifySyncOptions } from "../node/index.ts";
import { bytesOf, failuresOf, type Verifier } from "../../test/vectors.ts";
import { withoutNodeCrypto } from "../../test/without-node-crypto.ts";

const file = join(root, "spec/vectors/webhooks.json");
// Another test checks the form of the file.
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: WebhookVector[] };

const verifiers: Record<string, Verifier> = {
  safeVerify: { verify: safeVerify, readsStreams: true },
  "safeVerify with the Web Cryptography API": {
    verify: async (options) => {
      withoutNodeCrypto();
      return safeVerify(options);
    },
    readsStreams: true,
  },
  safeVerifySync: {
    // Without streams, every body is in memory.
    verify: (options) => safeVerifySync(options as VerifySyncOptions),
    readsStreams: false,
  },
};

describe.each(Object.entries(verifiers))("%s", (_name, verifier) => {
  afterEach(() => vi.restoreAllMocks());
  it.each(cases)("$id: $name", async (vector) => {
    expect((await failuresOf(vector, verifier)).failures).toEqual([]);
  });
});

const good = cases.filter(({ expected }) => expected.ok);

it.each(good)("signs $id with the same signature", async ({ secrets, body, headers, expected }) => {
  const secret = expected.ok ? secrets[expected.secretIndex] : undefined;
  const sent = headers.find(([name]) => name.toLowerCase() === "x-service-signature")?.[1];
  expect(await sign({ body: bytesOf(body), secret: secret ?? "" })).toBe(sent?.toLowerCase());
});

it("fails in every form if a vector expects another outcome", async () => {
  const vector = cases.find(({ id }) => id === "accepted");
  if (vector === undefined) throw new Error("The vector is missing.");
  for (const expected of [
    { ok: false, code: "signature_mismatch" } as const,
    { ok: true, secretIndex: 1, event: { event: "tryon.completed" } } as const,
  ]) {
    const { verifications, failures } = await failuresOf(
      { ...vector, expected },
      { verify: safeVerify, readsStreams: true },
    );
    expect(failures).toHaveLength(verifications);
    expect(verifications).toBe(12);
  }
});
