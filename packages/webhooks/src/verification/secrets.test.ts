import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withoutNodeCrypto } from "../../test/without-node-crypto.ts";
import { safeVerify, sign, verify, type SecretSource, type VerifyOptions } from "../index.ts";

const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const headers = { "X-Service-Signature": await sign({ body, secret: "whsec_old" }) };
const outcomeWith = (secrets: SecretSource) => safeVerify({ body, headers, secrets });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("during the replacement of a secret", () => {
  it.each<[string, SecretSource]>([
    ["a function that returns an array", () => ["whsec_new", "whsec_old"]],
    ["a function that returns a promise", async () => ["whsec_new", "whsec_old"]],
  ])("returns the index of the matching secret in %s", async (_, secrets) => {
    expect(await outcomeWith(secrets)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("tries all secrets, even if the first one matches", async () => {
    withoutNodeCrypto();
    const signing = vi.spyOn(crypto.subtle, "sign");
    await outcomeWith(["whsec_old", "whsec_new", undefined, "whsec_other"]);
    expect(signing).toHaveBeenCalledTimes(3);
  });

  it("calls a function once for each delivery with a signature", async () => {
    const secrets = vi.fn<() => string>(() => "whsec_old");
    await outcomeWith(secrets);
    await outcomeWith(secrets);
    await safeVerify({ body, headers: {}, secrets });
    expect(secrets).toHaveBeenCalledTimes(2);
  });
});

it.each(["", " ", "\u00a0", "undefined", "null", " undefined", "null\r\n", "\ufeffnull"])(
  "rejects the secret %j with the fix, even for its valid signature",
  async (secret) => {
    const message = expect.stringMatching(
      /`undefined` or `null`.*build.*pass a function.*set `secrets`/,
    ) as unknown;
    const rejection = { code: "invalid_secret", message };
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const forged = { "X-Service-Signature": `sha256=${signature}` };
    for (const secrets of [secret, [secret], ["whsec_old", secret], () => [secret, "whsec_old"]]) {
      const outcome = await safeVerify({ body, headers: forged, secrets });
      expect(outcome).toMatchObject({ ok: false, ...rejection });
    }
    await expect(sign({ body, secret })).rejects.toMatchObject(rejection);
  },
);

it.each(["whsec_old\n", "whsec_old\r\n", " whsec_old", "\ufeffwhsec_old\t"])(
  "ignores white space at the ends of the secret %j",
  async (secret) => {
    for (const secrets of [secret, ["whsec_new", secret], () => secret])
      expect(await outcomeWith(secrets)).toMatchObject({ ok: true });
    expect(await sign({ body, secret })).toBe(headers["X-Service-Signature"]);
  },
);

it.each([
  ['"whsec_old"', "quotes"],
  ["'whsec_old'\n", "quotes"],
  ["whsec_old\nwhsec_new", "white space"],
  ["whsec old", "white space"],
  ["whsec_old\0", "white space"],
])("rejects %j, which has %s that no secret has", async (secret, problem) => {
  for (const secrets of [secret, ["whsec_old", secret], () => secret]) {
    const outcome = await outcomeWith(secrets);
    expect(outcome).toMatchObject({ ok: false, code: "invalid_secret" });
    expect(outcome).toHaveProperty("message", expect.stringContaining(problem));
    expect(outcome).toHaveProperty("message", expect.not.stringContaining("whsec"));
  }
});

it.each([undefined, null, 7, {}, [[]], [null], new Map(), Symbol("secret"), Promise.resolve("k")])(
  "rejects %s as secrets",
  async (secrets) => {
    // The types forbid these values and JavaScript allows them.
    const outcome = await safeVerify({ body, headers, secrets } as VerifyOptions);
    expect(outcome).toMatchObject({ ok: false, code: "invalid_secret" });
  },
);

it("throws invalid_secret with the cause if the function for the secrets rejects", async () => {
  const cause = new Error("store is down");
  const secrets = () => Promise.reject(cause);
  await expect(verify({ body, headers, secrets })).rejects.toMatchObject({
    code: "invalid_secret",
    message: expect.stringContaining("The function `secrets` failed") as unknown,
    cause,
  });
});

it.each([undefined, {}])("names the fix if crypto is %j", async (crypto) => {
  withoutNodeCrypto();
  vi.stubGlobal("crypto", crypto);
  await expect(outcomeWith("whsec_old")).rejects.toThrow("crypto.subtle is missing. Use Node 20");
});

it("uses node:crypto where there is one, and no thread", async () => {
  vi.stubGlobal("crypto", undefined);
  expect(await outcomeWith("whsec_old")).toMatchObject({ ok: true });
});

it("keeps the imported keys of 16 secrets", async () => {
  withoutNodeCrypto();
  const importing = vi.spyOn(crypto.subtle, "importKey");
  const imports: number[] = [];
  for (let step = 0; step < 50; step += 1) {
    await sign({ body, secret: `whsec_new_${step}` });
    const before = importing.mock.calls.length;
    await sign({ body, secret: "whsec_kept" });
    if (importing.mock.calls.length > before) imports.push(step);
  }
  // After the first import, the cache has the kept key and 15 new ones until it is full.
  const [, first = Number.NaN] = imports;
  expect(imports.length).toBeGreaterThan(2);
  expect(imports.slice(1)).toEqual([0, 15, 30, 45].map((n) => first + n).filter((n) => n < 50));
});
