import { createHash } from "node:crypto";

import { vi } from "vitest";

// Real ones take real time, in which a clock that a test moves would be anywhere.
vi.spyOn(crypto.subtle, "digest").mockImplementation(async (_algorithm, data) => {
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
  return Uint8Array.from(createHash("sha256").update(bytes).digest()).buffer;
});
