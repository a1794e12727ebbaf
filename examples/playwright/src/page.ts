import { isTryOnError, TryOn } from "@tryon/client";

// Only in a build for tests. The published page does not contain the mock.
if (import.meta.env.MODE === "test") await (await import("./mock-service.ts")).startMockService();

const tryon = new TryOn({ proxyUrl: "/api/tryon" });

const form = document.querySelector("form");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void fit(new FormData(form));
});

async function fit(fields: FormData): Promise<void> {
  showStatus("Dressing you…");
  try {
    // Both fields are file inputs.
    const person = fields.get("person") as File;
    const garment = fields.get("garment") as File;
    const result = await tryon.run({ person, garments: [garment] });
    document.querySelector("img")?.setAttribute("src", await result.image.url());
    showStatus("Here you are.");
  } catch (error) {
    const blocked = isTryOnError(error, "job_failed") && error.isContentBlocked;
    showStatus(blocked ? "This cannot be shown." : "That did not work out.");
  }
}

function showStatus(text: string): void {
  document.querySelector("[role=status]")?.replaceChildren(text);
}
