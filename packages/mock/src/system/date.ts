export function formatTime(at: number, format: "Z" | "offset" | "naive"): string {
  const zones = { Z: "Z", offset: "+00:00", naive: "" };
  return new Date(at).toISOString().slice(0, 19) + zones[format];
}

let latest = { second: Number.NaN, text: "" };

/** Keeps the text of the latest second, in which most responses are. */
export function httpDate(at: number): string {
  const second = Math.floor(at / 1_000);
  if (second !== latest.second) latest = { second, text: new Date(at).toUTCString() };
  return latest.text;
}
