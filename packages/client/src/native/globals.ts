// The build for React Native uses these instead of the globals of the same names, which it leaves as they are.
const { Intl: appIntl, ReadableStream: AppStream } = globalThis as Partial<typeof globalThis>;

/** Time in English, as the code for shoppers formats it. Hermes has no `RelativeTimeFormat`. */
export class RelativeTime {
  format(value: number, unit: string): string {
    return `in ${value} ${unit}${value === 1 ? "" : "s"}`;
  }
}

const times = { RelativeTimeFormat: appIntl?.RelativeTimeFormat ?? RelativeTime };
/** Without streams, no value is an instance of this. */
const Stream: unknown = AppStream ?? function ReadableStream(): void {};

export {
  CompleteController as AbortController,
  NamedError as DOMException,
} from "../http/complete-signal.ts";
export { HttpUrl as URL } from "./http-url.ts";
export { MemoryBlob as Blob } from "./memory-blob.ts";
export { Stream as ReadableStream, times as Intl };
