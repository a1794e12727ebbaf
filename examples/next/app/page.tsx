"use client";

import { isTryOnError, TryOn, type TryOnInput, type TryOnResult } from "@tryon/client";
import { useActionState } from "react";

const tryon = new TryOn({ proxyUrl: "/api/tryon" });

interface Look {
  readonly picture?: string;
  readonly trouble?: string;
}

/** If the outcome is unknown, retries the submission under the same key, so that it is not charged twice. */
async function make(input: TryOnInput): Promise<TryOnResult> {
  try {
    return await tryon.run(input);
  } catch (error) {
    if (
      isTryOnError(error, "outcome_unknown") ||
      isTryOnError(error, "server_error") ||
      isTryOnError(error, "unavailable")
    ) {
      const job = await error.recover?.();
      if (job) return job.result();
    }
    throw error;
  }
}

async function tryOn(_before: Look, form: FormData): Promise<Look> {
  try {
    // Both fields are file inputs, so what they hold is a file.
    const person = form.get("person") as File;
    const garment = form.get("garment") as File;
    const result = await make({ person, garments: [garment] });
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
