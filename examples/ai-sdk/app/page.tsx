"use client";

import { useChat } from "@ai-sdk/react";
import { prepareImage } from "@tryon/client/session";
import { DefaultChatTransport, type FileUIPart } from "ai";
import type { FormEvent } from "react";

import type { LookMessage } from "./look-message";

const transport = new DefaultChatTransport<LookMessage>({ api: "/api/looks" });

/** Turns a photo upright and shrinks it. Keeps a file that the browser cannot decode. */
async function partOf(file: File): Promise<FileUIPart> {
  const image = await prepareImage(file).catch(() => file);
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    // The result of readAsDataURL is a text.
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(image);
  });
  return { type: "file", mediaType: image.type, url };
}

export default function Chat() {
  const { messages, sendMessage, regenerate, stop, status } = useChat<LookMessage>({ transport });

  async function send(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // Both fields are file inputs.
    const [person, garment] = [form.get("person") as File, form.get("garment") as File];
    await sendMessage({ files: [await partOf(person), await partOf(garment)] });
  }

  const isBusy = status === "submitted" || status === "streaming";
  const last = messages.at(-1)?.parts.find(({ type }) => type === "data-look");
  const look = last?.type === "data-look" ? last.data : undefined;
  // The answer can be missing, or end with the seconds.
  const isOpen = look?.status === "failed" ? look.canRepeat : look?.status !== "succeeded";
  return (
    <main>
      <h1>Looks</h1>
      {messages.flatMap(({ id, parts }) =>
        parts.map((part, index) => {
          const key = `${id}-${index}`;
          if (part.type === "file") return <img key={key} src={part.url} alt="" height={120} />;
          if (part.type !== "data-look") return null;
          if (part.data.status === "succeeded")
            return <img key={key} src={part.data.url} alt="You in the garment" width={320} />;
          return (
            <p key={key} role="status">
              {part.data.status === "failed" ? part.data.text : "Dressing you… "}
              {part.data.status === "running" && (
                <span aria-hidden="true">{part.data.seconds} s</span>
              )}
            </p>
          );
        }),
      )}
      {status === "error" && <p role="alert">The connection was lost.</p>}
      {messages.length > 0 && !isBusy && isOpen && (
        <button onClick={() => void regenerate()}>Continue</button>
      )}
      <form onSubmit={(event) => void send(event)}>
        <label>
          You <input type="file" name="person" accept="image/*" required />
        </label>
        <label>
          Garment <input type="file" name="garment" accept="image/*" required />
        </label>
        <button disabled={isBusy}>Try it on</button>
        {isBusy && (
          <button type="button" onClick={() => void stop()}>
            Stop waiting
          </button>
        )}
      </form>
    </main>
  );
}
