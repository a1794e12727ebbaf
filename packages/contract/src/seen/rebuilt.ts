import { markerOf } from "../record/exchange.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";
import { lengthOf } from "./seen.ts";

/** Maximum length of a rebuilt text. No limit of a schema is between it and the length of an image. */
const maxLength = 20_000;

export function rebuilt(value: unknown): unknown {
  const marker = markerOf(value);
  if (marker !== undefined) {
    if (marker.kind === "url") return `${marker.scheme}://recorded.example/${marker.alias}`;
    if (marker.kind === "number") return 1;
    if (marker.kind === "boolean") return true;
    return "x".repeat(Math.min(lengthOf(value) ?? 0, maxLength));
  }
  if (Array.isArray(value)) return elementsOf(value).map(rebuilt);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, one]) => [name, rebuilt(one)]),
  );
}
