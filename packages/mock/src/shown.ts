/** A value as a message names it, at most 100 characters of it; what JSON cannot write is named by its type. */
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
