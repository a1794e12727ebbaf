import * as fc from "fast-check";
import { expect, it } from "vitest";
import { safeVerify, sign } from "../index.ts";

const padding = fc.uint8Array({ maxLength: 300 });
const secret = fc.string({ unit: "binary" }).filter((text) => text.trim() !== "");
const digestBits = 256;

async function codeOf(body: Uint8Array, signature: string, secrets: string): Promise<string> {
  const headers = { "X-Service-Signature": signature };
  const outcome = await safeVerify({ body, headers, secrets });
  return outcome.ok ? "ok" : outcome.code;
}

function eventWith(bytes: Uint8Array): Uint8Array {
  const event = { event: "tryon.completed", job_id: "job_1", status: "succeeded" };
  return new TextEncoder().encode(JSON.stringify({ ...event, padding: [...bytes] }));
}

function flip(from: Uint8Array, bit: number): Uint8Array {
  const index = Math.floor(bit / 8);
  return from.with(index, (from[index] ?? 0) ^ (1 << (bit % 8)));
}

it("verifies any signed event under any secret that is not blank", async () => {
  const property = fc.asyncProperty(padding, secret, async (bytes, key) => {
    const body = eventWith(bytes);
    expect(await codeOf(body, await sign({ body, secret: key }), key)).toBe("ok");
  });
  await fc.assert(property);
});

it("verifies the signature of any bytes and rejects only their JSON", async () => {
  const property = fc.asyncProperty(padding, secret, async (body, key) => {
    const code = await codeOf(body, await sign({ body, secret: key }), key);
    expect(["invalid_json", "invalid_event"]).toContain(code);
  });
  await fc.assert(property);
});

it("signs bytes that decode to the same text differently", async () => {
  const bodies = [0xff, 0xfe].map((byte) => Uint8Array.of(0x22, byte, 0x22));
  const [one, other] = await Promise.all(bodies.map((body) => sign({ body, secret: "k" })));
  expect(one).not.toBe(other);
});

it("signs a byte order mark, which the parser ignores", async () => {
  const plain = eventWith(Uint8Array.of());
  const marked = Uint8Array.of(0xef, 0xbb, 0xbf, ...plain);
  const signature = await sign({ body: marked, secret: "k" });
  expect(await codeOf(marked, signature, "k")).toBe("ok");
  expect(await codeOf(plain, signature, "k")).toBe("signature_mismatch");
});

it("rejects any other secret", async () => {
  const property = fc.asyncProperty(padding, secret, secret, async (bytes, key, other) => {
    fc.pre(key.toWellFormed() !== other.toWellFormed());
    const body = eventWith(bytes);
    const code = await codeOf(body, await sign({ body, secret: key }), other);
    expect(code).toBe("signature_mismatch");
  });
  await fc.assert(property);
});

it("rejects a body with one flipped bit", async () => {
  const property = fc.asyncProperty(padding, secret, fc.nat(), async (bytes, key, random) => {
    const body = eventWith(bytes);
    const flipped = flip(body, random % (8 * body.length));
    const code = await codeOf(flipped, await sign({ body, secret: key }), key);
    expect(code).toBe("signature_mismatch");
  });
  await fc.assert(property);
});

it("rejects a signature with any bit flipped", async () => {
  const body = eventWith(Uint8Array.of(1, 2, 3));
  const digest = Buffer.from((await sign({ body, secret: "k" })).slice("sha256=".length), "hex");
  for (let bit = 0; bit < digestBits; bit += 1) {
    const flipped = `sha256=${Buffer.from(flip(digest, bit)).toString("hex")}`;
    expect(await codeOf(body, flipped, "k")).toBe("signature_mismatch");
  }
});
