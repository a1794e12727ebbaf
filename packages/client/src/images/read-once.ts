import { isPage } from "#page";

import type { Note } from "../errors/input-issue.ts";
import { blobLike, joinChunks } from "../http/blob-like.ts";
import type { Deadline } from "../http/deadline.ts";
import type { readChunks } from "../http/send-request.ts";
import { maxImageBytes } from "./image-limits.ts";
import type { ImageSource, RepeatableImage } from "./image-source.ts";

interface Functions {
  readonly readChunks: typeof readChunks;
  readonly describePath: (value: unknown) => string;
}

/** Reads an image that can be read only once. */
export async function readOnce(
  { field, content }: ImageSource,
  note: Note,
  deadline: Deadline,
  { readChunks, describePath }: Functions,
): Promise<RepeatableImage | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    // Only a response cannot be read repeatedly.
    for await (const chunk of readChunks(content as Response, deadline)) {
      if (!ArrayBuffer.isView(chunk)) {
        note("wrong_kind", field, " but a stream of text");
        return undefined;
      }
      size += chunk.length;
      if (size > maxImageBytes) break;
      chunks.push(chunk);
    }
    if (size <= maxImageBytes) {
      // The `Blob` of jsdom in jest cannot be read.
      return { field, content: isPage ? new Blob(chunks) : blobLike(joinChunks(chunks)) };
    }
    note("too_large", field, `${size} or more`, maxImageBytes);
  } catch (error) {
    deadline.signal.throwIfAborted();
    note("unreadable", field, describePath(error));
  }
  return undefined;
}
