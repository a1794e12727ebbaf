import { isTryOnError, TryOn } from "@tryon/client";

// Only where pages are built for tests; what is published knows nothing of the mock.
if (import.meta.env.MODE === "test") await (await import("./mock-service.ts")).startMockService();

const tryon = new TryOn({ proxyUrl: "/api/tryon" });

const form = document.querySelector("form");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void fit(new FormData(form));
});

async function fit(fields: FormData): Promise<void> {
  say("Dressing you…");
  try {
    // Both fields are file inputs, so what they hold is a file.
    const person = fields.get("person") as File;
    const garment = fields.get("garment") as File;
    const result = await tryon.run({ person, garments: [garment] });
    document.querySelector("img")?.setAttribute("src", await result.image.url());
    say("Here you are.");
  } catch (error) {
    const blocked = isTryOnError(error, "job_failed") && error.isContentBlocked;
    say(blocked ? "This cannot be shown." : "That did not work out.");
  }
}

function say(words: string): void {
  document.querySelector("[role=status]")?.replaceChildren(words);
}
