/** Formats a value for a message: at most 100 characters of JSON, or the type of a value without JSON. */
export function show(value: unknown): string {
  if (typeof value === "number") return String(value);
  return isJsonValue(value) ? JSON.stringify(value).slice(0, 100) : typeof value;
}

export function isJsonValue(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
