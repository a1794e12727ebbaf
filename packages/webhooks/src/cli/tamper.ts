import { UsageError } from "@tryon/cli-kit";

import { sign } from "../index.ts";

export const tamperings = [
  "body",
  "rewritten",
  "signature",
  "secret",
  "prefix",
  "base64",
  "missing",
  "job-id",
] as const;
export type Tampering = (typeof tamperings)[number];

const signatureName = "x-service-signature";

export async function tamper(
  request: Request,
  tampering: Tampering,
  secret: string,
): Promise<Request> {
  const headers = new Headers(request.headers);
  const digest = headers.get(signatureName)?.slice("sha256=".length) ?? "";
  const signed = new Uint8Array(await request.arrayBuffer());
  const signatures: Partial<Record<Tampering, string>> = {
    signature: `sha256=${digest.slice(0, -1)}${digest.endsWith("0") ? 1 : 0}`,
    secret: await sign({ body: signed, secret: `${secret}-other` }),
    prefix: digest,
    base64: `sha256=${Buffer.from(digest, "hex").toString("base64")}`,
  };
  const signature = signatures[tampering];
  if (signature !== undefined) headers.set(signatureName, signature);
  if (tampering === "missing") headers.delete(signatureName);
  if (tampering === "job-id") headers.set("x-service-job-id", "job_other");
  const body =
    tampering === "body"
      ? Uint8Array.of(...signed, 0x20)
      : tampering === "rewritten"
        ? rewritten(signed)
        : signed;
  return new Request(request.url, { method: "POST", headers, body });
}

function rewritten(body: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return new TextEncoder().encode(JSON.stringify(value, null, 3));
  } catch {
    throw new UsageError("--break rewritten needs a JSON body. Use --break body.");
  }
}
