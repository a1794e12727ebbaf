import { UsageError } from "@tryon/command-line";

import { sign } from "../index.ts";

/** Ways to make an event wrong. A receiver must reject each. */
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

/** Makes a signed request wrong in one way. */
export async function tamper(
  request: Request,
  tampering: Tampering,
  secret: string,
): Promise<Request> {
  const headers = new Headers(request.headers);
  const signature = headers.get(signatureName) ?? "";
  const digest = signature.slice("sha256=".length);
  let body: Uint8Array<ArrayBuffer> = new Uint8Array(await request.arrayBuffer());
  switch (tampering) {
    case "body":
      body = Uint8Array.of(...body, 0x20);
      break;
    case "rewritten":
      body = rewritten(body);
      break;
    case "signature":
      headers.set(signatureName, `sha256=${digest.slice(0, -1)}${digest.endsWith("0") ? 1 : 0}`);
      break;
    case "secret":
      headers.set(signatureName, await sign({ body, secret: `${secret}-other` }));
      break;
    case "prefix":
      headers.set(signatureName, digest);
      break;
    case "base64":
      headers.set(signatureName, `sha256=${Buffer.from(digest, "hex").toString("base64")}`);
      break;
    case "missing":
      headers.delete(signatureName);
      break;
    case "job-id":
      headers.set("x-service-job-id", `${headers.get("x-service-job-id") ?? "job_"}other`);
      break;
  }
  return new Request(request.url, { method: "POST", headers, body });
}

/** Writes the same JSON as other bytes, as a JSON parser and writer do. */
function rewritten(body: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return new TextEncoder().encode(JSON.stringify(value, null, 3));
  } catch {
    throw new UsageError("--break rewritten needs a JSON body. Use --break body.");
  }
}
