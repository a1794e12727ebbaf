import type { Redact } from "../errors/redact.ts";
import type { Deadline } from "../http/deadline.ts";
import type { Chunks, ImageProblem, UnexpectedImage } from "./job-image.ts";

/** Maximum number of bytes of a wrong body that its error keeps. */
const maxReceived = 2 ** 16;

const askProvider = "Ask the provider.";

/** Describes a response that is not the image of a job. */
export function describeImage(
  { expected = 0, maxResultBytes = 0, response, chunks = [] }: UnexpectedImage,
  redact: Redact,
): ImageProblem {
  if (response) {
    const { status, headers } = response;
    const type = headers.get("content-type") ?? "";
    const received = new Blob([...chunks], { type }).slice(0, maxReceived, type);
    return {
      problem: `is not a PNG: the store returned ${status} with ${received.size || "no"} bytes of type ${redact(type) || "unknown"}`,
      hint: "See error.received, or download it again later, which is free.",
      status,
      received,
    };
  }
  if (expected === 0) {
    return { problem: "has a result_url that is not http or https", hint: askProvider };
  }
  return expected > maxResultBytes
    ? {
        problem: `exceeds maxResultBytes (${maxResultBytes} bytes)`,
        hint: "Raise maxResultBytes of the client to allow it.",
      }
    : { problem: `exceeds its result_bytes (${expected} bytes)`, hint: askProvider };
}

/** Creates a stream of the chunks, which closes the deadline of the attempt at its end. Rejects with the error of the first one. */
export async function streamOf(
  chunks: Chunks,
  attempt: Deadline,
): Promise<ReadableStream<Uint8Array>> {
  let next: IteratorResult<Uint8Array, void> | undefined = await chunks.next();
  attempt.restart(Infinity);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        // The limit applies to the transfer of a chunk, not to a slow reader.
        attempt.restart();
        const { done, value } = next ?? (await chunks.next());
        next = undefined;
        attempt.restart(Infinity);
        if (!done) return controller.enqueue(value);
        attempt.close();
        controller.close();
      } catch (error) {
        attempt.close();
        throw error;
      }
    },
    async cancel() {
      attempt.close();
      await chunks.return();
    },
  });
}
