import type { State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { action, formValues } from "./parts.ts";
import { command } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { dateTime, duration, fromNow } from "./words.ts";

const steps = [
  [1_000, "+1 s"],
  [10_000, "+10 s"],
  [60_000, "+1 min"],
  [3_600_000, "+1 h"],
] as const;

const units = [
  ["1", "ms"],
  ["1000", "s"],
  ["60000", "min"],
  ["3600000", "h"],
  ["86400000", "d"],
] as const;

/** The server's time, and the ways to move it. */
export function clockPart(desk: PageModel, state: State): Shape {
  const [date = "", time = ""] = dateTime(state.now).split(" ");
  return h(
    "section",
    { key: "clock", class: "card clock", "aria-label": "Clock" },
    h(
      "div",
      { class: "clock-face" },
      h("div", { class: "time mono" }, time.slice(0, 8), h("span", {}, time.slice(8))),
      h(
        "div",
        { class: "under" },
        h("span", { class: "mono" }, `${date} UTC`),
        h("span", { class: "tag" }, `${state.clock} clock`),
        h("span", { class: "next" }, nextWords(state)),
      ),
    ),
    h("div", { class: "clock-steps" }, stepButtons(desk), ownStep(desk)),
  );
}

function stepButtons(desk: PageModel): Child {
  const shown = steps.map(([length, text]) =>
    action(
      desk,
      { name: `advance ${length}`, text, title: `Move time ahead by ${duration(length)}` },
      () => advance(length),
    ),
  );
  const all = { name: "run all", text: "Run all", title: "Move time ahead until nothing is due" };
  return h("div", { class: "steps" }, shown, action(desk, { ...all, class: "strong" }, runAll));
}

async function runAll(): Promise<undefined> {
  await command("clock", { run_all: true });
}

function ownStep(desk: PageModel): Child {
  const go = (event: Event): void => {
    const { count = "", unit = "1" } = formValues(event);
    void desk.perform("advance", () => advance(Math.round(Number(count) * Number(unit))));
  };
  return h(
    "form",
    { class: "own-step", on: { submit: go } },
    h("input", {
      name: "count",
      type: "number",
      min: 0,
      step: "any",
      value: "30",
      required: true,
      inputmode: "decimal",
      "aria-label": "How far",
    }),
    h(
      "select",
      { name: "unit", "aria-label": "Unit" },
      units.map(([value, text]) => h("option", { value, selected: text === "s" }, text)),
    ),
    h(
      "button",
      { type: "submit", "aria-disabled": desk.isBusy("advance") ? "true" : undefined },
      "Advance",
    ),
  );
}

async function advance(length: number): Promise<undefined> {
  await command("clock", { advance_ms: length });
}

function nextWords({ next, now }: State): string {
  if (next === null) return "Nothing is due.";
  const what = next.kind === "delivery" ? "webhook attempt" : "end of a job";
  return `Next: ${what} ${fromNow(next.at, now)}`;
}
