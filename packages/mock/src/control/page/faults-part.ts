import type { FaultState, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { action, card, empty } from "./parts.ts";
import { command } from "./server.ts";
import { h, type Shape } from "./shape.ts";
import { amount, counted, duration } from "./words.ts";

type Effect = Omit<FaultState, "fault_id" | "met" | "struck">;

/** Faults that are often wanted. */
const presets: readonly (readonly [text: string, fault: Partial<Effect> & { on: string }])[] = [
  ["Next submit: 503", { on: "POST /api/v1/tryon", times: 1, status: 503, retry_after: 2 }],
  ["Next submit: 429", { on: "POST /api/v1/tryon", times: 1, status: 429, retry_after: 2 }],
  ["Next submit: answer lost", { on: "POST /api/v1/tryon", times: 1, reset: "after" }],
  ["Next poll: 500", { on: "GET /api/v1/tryon/*", times: 1, status: 500 }],
  ["Next webhook: dropped", { on: "webhook", times: 1, drop: true }],
  ["Every call: 2 s late", { on: "* *", latency_ms: 2_000 }],
];

/** What is going to go wrong, and the ways to have it go wrong. */
export function faultsPart(desk: PageModel, { faults }: State): Shape {
  return card(
    "faults",
    "Faults",
    faults.length > 1 &&
      action(desk, { name: "clear faults", text: "Remove all", class: "small" }, clear),
    h(
      "div",
      { class: "presets" },
      presets.map(([text, fault]) => {
        const title = `Add: ${effect(fault)}, on ${fault.on}`;
        return action(desk, { name: text, text, title, class: "small" }, async () => {
          await command("faults", fault);
          return undefined;
        });
      }),
    ),
    faults.length > 0
      ? h(
          "ul",
          { key: "rows", class: "rows" },
          faults.map((fault) => faultRow(desk, fault)),
        )
      : empty("Nothing goes wrong."),
  );
}

async function clear(): Promise<string> {
  await command("faults", {}, "DELETE");
  return "No fault is left.";
}

function faultRow(desk: PageModel, fault: FaultState): Shape {
  const { fault_id: id, on, met, struck, times } = fault;
  const spent = times !== undefined && struck >= times;
  const remove = async (): Promise<undefined> => {
    await command(`faults/${encodeURIComponent(id)}`, {}, "DELETE");
  };
  return h(
    "li",
    { key: id, class: spent ? "fault spent" : "fault" },
    h(
      "div",
      { class: "grow" },
      h("div", { class: "mono" }, on),
      h("div", {}, effect(fault)),
      h(
        "div",
        { class: "facts" },
        [howOften(fault), `met ${amount(met)}, struck ${amount(struck)}`, spent ? "spent" : ""]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    action(desk, { name: `remove ${id}`, text: "Remove", class: "small" }, remove),
  );
}

/** What a fault does, in words. */
function effect(fault: Partial<Effect>): string {
  const {
    status,
    retry_after: retryAfter,
    reset,
    truncate_at: cut,
    cut_after_ms: cutAfter,
    latency_ms: latency,
    drop,
  } = fault;
  const parts = [
    typeof latency === "number" && `${duration(latency)} late`,
    typeof latency === "object" && "late by chance",
    typeof cutAfter === "number" && `cut off by a proxy after ${duration(cutAfter)}`,
    status !== undefined && `answers ${status}`,
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    reset !== undefined && `connection breaks ${reset} the work`,
    cut !== undefined && `body ends after ${cut} bytes`,
    drop === true && "never arrives",
  ];
  return parts.filter((part) => typeof part === "string").join(", ");
}

function howOften({ times, probability, after }: FaultState): string {
  const parts = [
    times === undefined ? "each time" : times === 1 ? "once" : `${amount(times)} times`,
    after !== undefined && `after ${counted(after, "call")}`,
    probability !== undefined && `with probability ${probability}`,
  ];
  return parts.filter((part) => typeof part === "string").join(" ");
}
