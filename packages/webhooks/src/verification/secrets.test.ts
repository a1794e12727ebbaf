import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { SecretSource, VerifyOptions } from "../index.ts";

const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const headers = { "X-Service-Signature": await sign({ body, secret: "whsec_old" }) };
const under = (secrets: SecretSource) => safeVerify({ body, headers, secrets });

describe("while a secret is being replaced", () => {
  it.each<[string, SecretSource]>([
    ["a list", ["whsec_new", "whsec_old"]],
    ["a function that gives a list", () => ["whsec_new", "whsec_old"]],
    ["a function that gives a list later", async () => ["whsec_new", "whsec_old"]],
    ["a list whose first is not set", [undefined, "whsec_old"]],
  ])("%s tells which one fits", async (_, secrets) => {
    expect(await under(secrets)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("all are tried, whichever fits", async () => {
    const signing = vi.spyOn(crypto.subtle, "sign");
    try {
      await under(["whsec_old", "whsec_new", undefined, "whsec_other"]);
      expect(signing).toHaveBeenCalledTimes(3);
    } finally {
      signing.mockRestore();
    }
  });

  it("a function is asked once for each delivery, and not for one without a signature", async () => {
    const secrets = vi.fn<() => string>(() => "whsec_old");
    await under(secrets);
    await under(secrets);
    await safeVerify({ body, headers: {}, secrets });
    expect(secrets).toHaveBeenCalledTimes(2);
  });
});

describe("a blank secret is refused, though anybody could sign with it", () => {
  it.each(["", " ", "\t\r\n", "\u00a0", "\ufeff"])("%j", async (secret) => {
    expect(await under(secret)).toMatchObject({ ok: false, code: "invalid_secret" });
    expect(await under(() => [secret, "whsec_old"])).toMatchObject({ code: "invalid_secret" });
    await expect(sign({ body, secret })).rejects.toMatchObject({ code: "invalid_secret" });
  });
});

it.each(["undefined", "null", " undefined", "null\r\n", "\u00a0null\ufeff"])(
  "the text %j of a variable that is not set is refused, with the fix",
  async (secret) => {
    const message = expect.stringMatching(/`undefined` or `null`.*Set `secrets`/) as unknown;
    const refusal = { code: "invalid_secret", message };
    const signed = createHmac("sha256", secret).update(body).digest("hex");
    const forged = { "X-Service-Signature": `sha256=${signed}` };
    for (const secrets of [secret, [secret], ["whsec_old", secret], () => secret]) {
      expect(await safeVerify({ body, headers: forged, secrets })).toMatchObject(refusal);
    }
    await expect(sign({ body, secret })).rejects.toMatchObject(refusal);
  },
);

it.each(["undefined_", "nullable", "whsec_null", "nullundefined"])(
  "a secret that only contains such a text is a secret: %s",
  async (secret) => {
    const signed = { "X-Service-Signature": await sign({ body, secret }) };
    const outcome = await safeVerify({ body, headers: signed, secrets: secret });
    expect(outcome).toMatchObject({ ok: true });
  },
);

it.each([undefined, null, 7, {}, [[]], [null], new Map(), Symbol("secret"), Promise.resolve("k")])(
  "what is no secret is refused: %s",
  async (secrets) => {
    // Forbidden by the types.
    const outcome = await safeVerify({ body, headers, secrets } as VerifyOptions);
    expect(outcome).toMatchObject({ ok: false, code: "invalid_secret" });
  },
);

it.each([
  ["throws", () => Promise.reject(new Error("store is down"))],
  [
    "rejects",
    () => {
      throw new Error("store is down");
    },
  ],
])("a function that %s is named, with what it threw as the cause", async (_, secrets) => {
  expect(await under(secrets)).toMatchObject({ ok: false, code: "invalid_secret" });
  const verifying = verify({ body, headers, secrets });
  await expect(verifying).rejects.toMatchObject({ cause: { message: "store is down" } });
});

it("a runtime without WebCrypto is named, with what to do", async () => {
  vi.stubGlobal("crypto", {});
  try {
    await expect(under("whsec_old")).rejects.toThrow("crypto.subtle is missing. Use Node 20");
  } finally {
    vi.unstubAllGlobals();
  }
});

it("a secret with underscores is taken whole", async () => {
  const secret = "whsec_one_two_three";
  const signed = { "X-Service-Signature": await sign({ body, secret }) };
  expect(await safeVerify({ body, headers: signed, secrets: secret })).toMatchObject({ ok: true });
  for (const part of ["whsec", "whsec_one", "one_two_three", "three"]) {
    const outcome = await safeVerify({ body, headers: signed, secrets: part });
    expect(outcome).toMatchObject({ code: "signature_mismatch" });
  }
});
