export function formatTime(at: number, format: "Z" | "offset" | "naive"): string {
  const zones = { Z: "Z", offset: "+00:00", naive: "" };
  return new Date(at).toISOString().slice(0, 19) + zones[format];
}

export function httpDate(at: number): string {
  return new Date(at).toUTCString();
}
