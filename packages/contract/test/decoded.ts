/** Everything that a reader could decode from a text: percent-encoding, hex and base64 at every position. */
export function decoded(text: string): string {
  const percent = text.replaceAll(/%([\da-f]{2})/gi, (_found, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 16)),
  );
  const runs = text.match(/[\w+/-]{8,}/g) ?? [];
  const base64 = runs.flatMap((run) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
  );
  const digits = text.match(/[\da-f]{8,}/gi) ?? [];
  const hex = digits.flatMap((run) =>
    [0, 1].map((skip) => Buffer.from(run.slice(skip), "hex").toString("latin1")),
  );
  return [text, percent, ...base64, ...hex].join("\n");
}
