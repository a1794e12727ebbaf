const secrets = /\b(svc_live_|svc_test_|whsec_|spt_)…?(\w*)/g;

const dataUrls = /data:[^,\s]{0,200},[^\s"']*/gi;

/** Beginnings of both; most texts have none. */
const mayMatch = /svc_|whsec_|spt_|data:/i;

export function maskText(text: string): string {
  if (!mayMatch.test(text)) return text;
  return text
    .replaceAll(dataUrls, (bytes) => `<data of ${bytes.length} characters>`)
    .replaceAll(secrets, (_whole, prefix: string, rest: string) => `${prefix}…${rest.slice(-4)}`);
}

/** Masks a key as in the journal: `svc_live_…mock`. */
export function maskKey(token: string): string {
  const masked = maskText(token);
  if (masked !== token || token.startsWith("svc_")) return masked;
  return token.length < 12 ? "…" : `…${token.slice(-4)}`;
}

const secretHeader = /authorization|cookie|token|secret|(^|-)(auth|key)$|^stripe-signature$/i;

export function maskHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of headers) {
    const [, scheme = "", secret = value] = /^(bearer +)(.*)$/is.exec(value) ?? [];
    const isSecret = secretHeader.test(name) && name !== "idempotency-key";
    masked[name] = isSecret ? scheme + maskKey(secret) : maskText(value);
  }
  return masked;
}

const url = /^https?:/i;

const maxText = 4_000;

export function maskBody(body: unknown): string {
  if (typeof body === "string") return maskImages(maskText(body));
  const mask = (name: string, value: unknown): unknown => {
    if (typeof value === "string") {
      if (name.endsWith("_b64") || value.length > maxText) return lengthOf(value);
      const masked = maskText(value);
      return url.test(masked) ? masked : maskImages(masked);
    }
    if (name === "garment_images_b64" && Array.isArray(value)) {
      return value.map((item) => (typeof item === "string" ? lengthOf(item) : item));
    }
    return value;
  };
  return maskText(JSON.stringify(body, mask));
}

function maskImages(text: string): string {
  // Words of a URL can be as long.
  return text.replaceAll(/https?:[^\s"']*|[\w+/-]{60,}={0,2}/gi, (run) =>
    url.test(run) ? run : lengthOf(run),
  );
}

export function lengthOf(base64: string): string {
  return `<${base64.length} characters>`;
}

export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [maskText(name), maskValue(part)]),
  );
}
