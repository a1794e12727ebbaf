/** A key of the service or a secret of it, up to its last four characters. */
const secrets = /\b(svc_live_|svc_test_|whsec_|spt_)…?(\w*)/g;

/** Images and other bytes that were written into a text. */
const written = /data:[^,\s]{0,200},[^\s"']*/gi;

/** The text with secrets cut down to prefix and last four characters, and without bytes written into it. */
export function maskText(text: string): string {
  return text
    .replaceAll(written, (bytes) => `<data of ${bytes.length} characters>`)
    .replaceAll(secrets, (_whole, prefix: string, rest: string) => `${prefix}…${rest.slice(-4)}`);
}

/** A key as the journal names it: `svc_live_…mock`. */
export function maskKey(token: string): string {
  const masked = maskText(token);
  if (masked !== token || token.startsWith("svc_")) return masked;
  return token.length < 12 ? "…" : `…${token.slice(-4)}`;
}

/** A value of JSON with every text in it masked. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [maskText(name), maskValue(part)]),
  );
}
