import { isSharedArrayBuffer } from "node:util/types";
import { checkLength, bufferedBytes } from "../verification/body.ts";
import { WebhookError } from "../webhook-error.ts";

/**
 * Gives the bytes of a body that is in memory. They are not copied, since nothing else runs between
 * their verification and their parsing, unless another thread can change them meanwhile.
 */
export function bufferedBody(body: unknown, maxBodyBytes: number): Uint8Array {
  let bytes: Uint8Array | undefined;
  let cause: unknown;
  try {
    bytes = bufferedBytes(body);
  } catch (error) {
    cause = error;
  }
  if (bytes === undefined) {
    throw new WebhookError(
      "raw_body_required",
      'The body is not bytes: it was parsed, or is not read yet. For a request that is not read, use verify, which reads it. Express: express.raw({ type: "*/*" }) ahead of express.json(). Fastify: parseAs: "buffer".',
      cause === undefined ? undefined : { cause },
    );
  }
  checkLength(bytes.byteLength, maxBodyBytes);
  return isSharedArrayBuffer(bytes.buffer) ? bytes.slice() : bytes;
}
