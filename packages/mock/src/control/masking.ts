/** Keys and secrets of the service, except their last four characters. */
const secrets = /\b(svc_live_|svc_test_|whsec_|spt_)…?(\w*)/g;

/** Images and other data in URLs. */
const dataUrls = /data:[^,\s]{0,200},[^\s"']*/gi;

/** Beginnings of both; most texts have none. */
const mayMatch = /svc_|whsec_|spt_|data:/i;

/** Shortens secrets in a text to their prefix and last four characters, and removes data URLs. */
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

/** Masks every text in a JSON value. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [maskText(name), maskValue(part)]),
  );
}
