import { createHash } from "node:crypto";

import { vi } from "vitest";

/** Makes digests take no time in this file: real ones take real time, in which a clock that a test moves would be anywhere. */
export function makeDigestsInstant(): void {
  vi.spyOn(crypto.subtle, "digest").mockImplementation(async (_algorithm, data) => {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    return Uint8Array.from(createHash("sha256").update(bytes).digest()).buffer;
  });
}
