import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { safeVerify, sign, verify } from "../index.ts";
import type { SecretSource, VerifyOptions } from "../index.ts";

const body = JSON.stringify({ event: "tryon.completed", job_id: "job_1", status: "succeeded" });
const headersFor = async (secret: string) => ({
  "X-Service-Signature": await sign({ body, secret }),
});
const headers = await headersFor("whsec_old");
const outcomeWith = (secrets: SecretSource) => safeVerify({ body, headers, secrets });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("during the replacement of a secret", () => {
  it.each<[string, SecretSource]>([
    ["an array", ["whsec_new", "whsec_old"]],
    ["a function that returns an array", () => ["whsec_new", "whsec_old"]],
    ["a function that returns a promise", async () => ["whsec_new", "whsec_old"]],
    ["an array whose first entry is not set", [undefined, "whsec_old"]],
  ])("returns the index of the matching secret in %s", async (_, secrets) => {
    expect(await outcomeWith(secrets)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("tries all secrets, even if the first one matches", async () => {
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

it.each([
  "",
  " ",
  "\t\r\n",
  "\u00a0",
  "\ufeff",
  "undefined",
  "null",
  " undefined",
  "null\r\n",
  "\u00a0null\ufeff",
])("rejects the secret %j with the fix, even for its valid signature", async (secret) => {
  const message = expect.stringMatching(/`undefined` or `null`.*Set `secrets`/) as unknown;
  const rejection = { code: "invalid_secret", message };
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const forged = { "X-Service-Signature": `sha256=${signature}` };
  for (const secrets of [secret, [secret], ["whsec_old", secret], () => [secret, "whsec_old"]]) {
    const outcome = await safeVerify({ body, headers: forged, secrets });
    expect(outcome).toMatchObject({ ok: false, ...rejection });
  }
  await expect(sign({ body, secret })).rejects.toMatchObject(rejection);
});

it.each(["undefined_", "nullable", "whsec_null", "nullundefined", "whsec_one_two_three"])(
  "accepts the secret %s",
  async (secret) => {
    const options = { body, headers: await headersFor(secret), secrets: secret };
    expect(await safeVerify(options)).toMatchObject({ ok: true });
  },
);

it.each(["whsec", "whsec_one", "one_two_three", "three"])(
  "does not accept the part %s of a secret with underscores",
  async (secrets) => {
    const options = { body, headers: await headersFor("whsec_one_two_three"), secrets };
    expect(await safeVerify(options)).toMatchObject({ code: "signature_mismatch" });
  },
);

it.each([undefined, null, 7, {}, [[]], [null], new Map(), Symbol("secret"), Promise.resolve("k")])(
  "rejects %s as secrets",
  async (secrets) => {
    // The types forbid these values and JavaScript allows them.
    const outcome = await safeVerify({ body, headers, secrets } as VerifyOptions);
    expect(outcome).toMatchObject({ ok: false, code: "invalid_secret" });
  },
);

it.each([
  ["rejects", () => Promise.reject(new Error("store is down"))],
  [
    "throws",
    () => {
      throw new Error("store is down");
    },
  ],
])("throws invalid_secret with the cause if the function %s", async (_, secrets) => {
  expect(await outcomeWith(secrets)).toMatchObject({ ok: false, code: "invalid_secret" });
  const verifying = verify({ body, headers, secrets });
  await expect(verifying).rejects.toMatchObject({ cause: { message: "store is down" } });
});

it.each([undefined, {}])("names the fix if crypto is %j", async (crypto) => {
  vi.stubGlobal("crypto", crypto);
  await expect(outcomeWith("whsec_old")).rejects.toThrow("crypto.subtle is missing. Use Node 20");
});
