import type { State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { card, formValues } from "./parts.ts";
import { command } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { duration } from "./words.ts";

const outcomes = [
  "succeeded",
  "content_blocked",
  "model_rejected",
  "storage_failed",
  "failed",
  "never",
];

/** How the next job is going to end. */
export function nextJobPart(desk: PageModel, { next_jobs: waiting }: State): Shape {
  const add = (event: Event): void => {
    const { outcome = "", seconds = "" } = formValues(event);
    const length = seconds === "" ? {} : { duration_ms: Math.round(Number(seconds) * 1_000) };
    void desk.perform("next job", async () => {
      await command("next-job", { outcome, ...length });
      return undefined;
    });
  };
  return card(
    "next-job",
    "Next job",
    undefined,
    h(
      "form",
      { class: "line-form", on: { submit: add } },
      h(
        "select",
        { name: "outcome", "aria-label": "Outcome" },
        outcomes.map((outcome) =>
          h("option", { value: outcome, selected: outcome === "content_blocked" }, outcome),
        ),
      ),
      h("input", {
        name: "seconds",
        type: "number",
        min: 0,
        step: "any",
        placeholder: "usual s",
        "aria-label": "Seconds that it takes",
      }),
      h(
        "button",
        { type: "submit", "aria-disabled": desk.isBusy("next job") ? "true" : undefined },
        "Set",
      ),
    ),
    waiting.length > 0 && h("ol", { key: "waiting", class: "queue" }, waiting.map(nextJobWords)),
  );
}

function nextJobWords(job: State["next_jobs"][number]): Child {
  const length = job.duration_ms === null ? undefined : `after ${duration(job.duration_ms)}`;
  const ending = job.error_message ?? job.outcome;
  const whose = job.api_key === null ? undefined : `for ${job.api_key}`;
  return h("li", {}, [ending, length, whose].filter((part) => part !== undefined).join(" "));
}
