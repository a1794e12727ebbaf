export function formsOf(secret: string | Uint8Array): readonly string[] {
  const bytes = Buffer.from(secret);
  const encoded = (["base64", "base64url", "hex"] as const).flatMap((encoding) =>
    // A text in base64 depends on its position in a longer one.
    [0, 1, 2].map((skipped) => bytes.subarray(skipped, skipped + 15).toString(encoding)),
  );
  if (typeof secret !== "string") return encoded;
  const start = Array.from(secret).slice(0, 20).join("");
  return [start, JSON.stringify(start).slice(1, -1), encodeURIComponent(start), ...encoded];
}
