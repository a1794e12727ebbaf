"use client";

import { useTryOn } from "@tryon/client/react";
import { PageClient, prepareImage, type TryOnSessionOptions } from "@tryon/client/session";
import { useEffect, useState, type FormEvent } from "react";

const tryon = new PageClient({ baseUrl: "/api/tryon" });

/** Turns the photo upright and shrinks it. Sends a file that the browser cannot decode unchanged. */
const options: TryOnSessionOptions = {
  prepare: async (input) => {
    // The form below has the only input.
    const person = input.person as File;
    return { ...input, person: await prepareImage(person).catch(() => person) };
  },
};

export default function FittingRoom() {
  const session = useTryOn(tryon, options);
  const [url, setUrl] = useState<string>();
  const image = session.status === "succeeded" ? session.image : undefined;
  useEffect(() => {
    if (!image) return setUrl(undefined);
    const objectUrl = URL.createObjectURL(image);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [image]);

  function start(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // Both fields are file inputs.
    const [person, garment] = [form.get("person") as File, form.get("garment") as File];
    void session.start({ person, garments: [garment] });
  }

  const isBusy = /^(preparing|uploading|waiting)$/.test(session.status);
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
      {session.status === "failed" && (
        <p role="status">
          {session.error.isContentBlocked
            ? "This cannot be shown. Please take another photo."
            : "That did not work. Please try again in a moment."}
          {session.canResume && <button onClick={session.resume}>Continue</button>}
        </p>
      )}
      {url && <img src={url} alt="You in the garment" />}
      {session.status !== "idle" && <button onClick={session.reset}>Delete my photos</button>}
    </main>
  );
}
