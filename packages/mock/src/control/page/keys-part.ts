import type { KeyAccount, OptionState, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { card, copyButton, empty, jobLink } from "./parts.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { amount, change, counted, dateTime, timeOfDay } from "./words.ts";

/** Keys, what is left on them, and how it came to that. */
export function keysPart(desk: PageModel, { keys }: State): Shape {
  return card(
    "keys",
    "Keys and credits",
    undefined,
    h(
      "ul",
      { class: "rows" },
      keys.map((key) => h("li", { key: key.key_id }, keyRow(desk, key))),
    ),
  );
}

function keyRow(desk: PageModel, key: KeyAccount): Shape {
  const { ledger } = key;
  return h(
    "details",
    { class: "key" },
    h(
      "summary",
      {},
      h(
        "span",
        { class: "what" },
        h("span", {}, key.name ?? "no name"),
        h("span", { class: "facts mono" }, key.api_key),
      ),
      key.state !== "active" && h("span", { class: "tag" }, key.state),
      h("span", { class: "balance" }, key.mode === "test" ? "free" : amount(key.credits)),
    ),
    h(
      "div",
      { class: "inside" },
      h(
        "p",
        { class: "facts" },
        `${counted(key.total_calls, "call")}, at most ${amount(key.rate_limit_per_min)} a minute`,
      ),
      key.token !== null && h("div", { class: "buttons" }, copyButton(desk, key.token, "key")),
      ledger.total === 0
        ? h("p", { class: "facts" }, "Nothing in the ledger.")
        : ledgerTable(ledger),
    ),
  );
}

function ledgerTable({ total, latest }: KeyAccount["ledger"]): Child {
  return [
    h(
      "table",
      { key: "ledger" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "At"),
          h("th", { scope: "col" }, "Cause"),
          h("th", { scope: "col", class: "number" }, "Credits"),
        ),
      ),
      h(
        "tbody",
        {},
        latest.map(({ at, cause, job_id: jobId, credits }, index) =>
          h(
            "tr",
            { key: String(total - index) },
            h("td", { class: "mono", title: `${dateTime(at)} UTC` }, timeOfDay(at).slice(0, 8)),
            h("td", {}, cause, jobId !== null && [" ", jobLink(jobId)]),
            h("td", { class: credits < 0 ? "number" : "number plus" }, change(credits)),
          ),
        ),
      ),
    ),
    latest.length < total &&
      h("p", { key: "more", class: "more" }, `The newest ${latest.length} of ${amount(total)}.`),
  ];
}

/** Where the server differs from its defaults. */
export function optionsPart({ options }: State): Shape {
  return card(
    "options",
    "Options",
    options.length > 0 && h("span", { class: "count" }, String(options.length)),
    options.length === 0
      ? empty("Every option has its default.")
      : h("ul", { key: "rows", class: "rows" }, options.map(optionRow)),
  );
}

function optionRow({ id, value, default: usual, summary }: OptionState): Shape {
  return h(
    "li",
    { key: id, class: "option", title: summary },
    h("span", { class: "mono grow" }, id),
    h("span", { class: "mono" }, String(value)),
    h("span", { class: "facts" }, `default ${String(usual)}`),
  );
}
