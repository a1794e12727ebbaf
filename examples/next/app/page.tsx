"use client";

import { isTryOnError, TryOn } from "@tryon/client";
import { useActionState } from "react";

const tryon = new TryOn({ proxyUrl: "/api/tryon" });

interface Look {
  readonly picture?: string;
  readonly trouble?: string;
}

async function tryOn(_before: Look, form: FormData): Promise<Look> {
  try {
    // Both fields are file inputs, so what they hold is a file.
    const person = form.get("person") as File;
    const garment = form.get("garment") as File;
    const result = await tryon.run({ person, garments: [garment] });
    return { picture: await result.image.url() };
  } catch (error) {
    if (isTryOnError(error, "job_failed") && error.isContentBlocked) {
      return { trouble: "This cannot be shown. Please take another photo." };
    }
    if (!isTryOnError(error)) throw error;
    return { trouble: "That did not work. Please try again in a moment." };
  }
}

export default function FittingRoom() {
  const [look, action, pending] = useActionState(tryOn, {});
  return (
    <main>
      <h1>Fitting room</h1>
      <form action={action}>
        <label>
          You <input type="file" name="person" accept="image/*" required />
        </label>
        <label>
          Garment <input type="file" name="garment" accept="image/*" required />
        </label>
        <button disabled={pending}>{pending ? "Dressing you…" : "Try it on"}</button>
      </form>
      <p role="status">{look.trouble}</p>
      {look.picture && <img src={look.picture} alt="You in the garment" />}
    </main>
  );
}
