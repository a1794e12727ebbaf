import type { PageModel } from "./page-model.ts";
import { Refused } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";

/** Pieces that several parts of the page are made of. */

/** A titled part of the page. */
export function card(
  name: string,
  title: string,
  side: Child,
  ...children: readonly Child[]
): Shape {
  return h(
    "section",
    { key: name, class: `card ${name}`, "aria-labelledby": `${name}-title` },
    h("div", { class: "card-head" }, h("h2", { id: `${name}-title` }, title), side),
    ...children,
  );
}

/** A button that does its work once at a time. It is never disabled, since it would lose the focus. */
export function action(
  desk: PageModel,
  look: {
    readonly name: string;
    readonly text: string;
    readonly class?: string;
    readonly title?: string;
  },
  work: () => Promise<string | undefined>,
): Shape {
  const busy = desk.isBusy(look.name);
  return h(
    "button",
    {
      key: look.name,
      type: "button",
      class: look.class ?? "",
      title: look.title,
      "aria-disabled": busy ? "true" : undefined,
      on: { click: () => void desk.perform(look.name, work) },
    },
    look.text,
  );
}

const marks: Readonly<Record<string, string>> = {
  queued: "quiet",
  running: "busy",
  succeeded: "good",
  failed: "bad",
  pending: "busy",
  delivered: "good",
  "given-up": "bad",
};

/** What state something is in, in colour and in words. */
export function pill(state: string, text = state): Shape {
  return h("span", { class: `pill ${marks[state] ?? "quiet"}` }, text);
}

/** What is said where there is nothing to show. */
export function empty(text: string, hint?: string): Shape {
  return h(
    "div",
    { key: "empty", class: "empty" },
    h("p", {}, text),
    hint !== undefined && h("p", { class: "hint" }, hint),
  );
}

/** The way to a job. The end of its id is enough to tell it from others. */
export function jobLink(jobId: string, text = shortId(jobId)): Shape {
  return h("a", { class: "mono", href: `#${jobId}`, title: jobId }, text);
}

/** An id cut down to what a line has room for. */
function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 10)}…`;
}

/** A button that puts a text into the clipboard. */
export function copyButton(desk: PageModel, text: string, what: string): Shape {
  const copy = async (): Promise<string> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers have no clipboard for addresses that are neither https nor loopback.
      throw new Refused(`This browser does not let the page copy. The ${what} is ${text}`);
    }
    return `Copied the ${what}.`;
  };
  const look = { name: `copy ${text}`, text: `Copy ${what}`, class: "small" };
  return action(desk, look, copy);
}

/** What a form holds, by the names of its fields. */
export function formValues(event: Event): Readonly<Record<string, string>> {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return {};
  const values = [...new FormData(event.currentTarget)];
  return Object.fromEntries(
    values.map(([name, value]) => [name, typeof value === "string" ? value.trim() : ""]),
  );
}
