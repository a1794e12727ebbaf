"use client";

import { TryOn } from "@tryon/client";
import { prepareImage } from "@tryon/client/images";
import { useTryOn } from "@tryon/client/react";
import type { TryOnSessionOptions } from "@tryon/client/session";
import { useEffect, useState, type FormEvent } from "react";

const tryon = new TryOn({ proxyUrl: "/api/tryon" });

/** Turns the photo upright and shrinks it. Sends a file that the browser cannot decode unchanged. */
const options: TryOnSessionOptions = {
  prepare: async (input) => {
    // The form below has the only input.
    const person = input.person as File;
    return { ...input, person: await prepareImage(person).catch(() => person) };
  },
};

export default function FittingRoom() {
  const look = useTryOn(tryon, options);
  const [picture, setPicture] = useState<string>();
  const image = look.status === "succeeded" ? look.image : undefined;
  useEffect(() => {
    if (!image) return setPicture(undefined);
    const url = URL.createObjectURL(image);
    setPicture(url);
    return () => URL.revokeObjectURL(url);
  }, [image]);

  function start(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // Both fields are file inputs, so what they hold is a file.
    const [person, garment] = [form.get("person") as File, form.get("garment") as File];
    void look.start({ person, garments: [garment] });
  }

  const isBusy = /^(preparing|uploading|waiting)$/.test(look.status);
  return (
    <main>
      <h1>Fitting room</h1>
      <form onSubmit={start}>
        <label>
          You <input type="file" name="person" accept="image/*" required />
        </label>
        <label>
          Garment <input type="file" name="garment" accept="image/*" required />
        </label>
        <button disabled={isBusy}>{isBusy ? "Dressing you…" : "Try it on"}</button>
      </form>
      {look.status === "failed" && (
        <p role="status">
          {look.error.isContentBlocked
            ? "This cannot be shown. Please take another photo."
            : "That did not work. Please try again in a moment."}
          {look.canResume && <button onClick={look.resume}>Look again</button>}
        </p>
      )}
      {picture && <img src={picture} alt="You in the garment" />}
      {look.status !== "idle" && <button onClick={look.reset}>Delete my photos</button>}
    </main>
  );
}
