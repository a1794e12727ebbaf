import type MiniSearch from "minisearch";

import type { SearchEntry } from "../search-entry.ts";
import { find, type Found } from "./find.ts";

const root = document.documentElement.dataset["root"] ?? "";
let loading: Promise<MiniSearch<SearchEntry>> | undefined;

/** The index is large and most readers never ask: it is loaded with the first question. */
function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  loading ??= import("./load-index.ts").then(({ loadFrom }) => loadFrom(`${root}search.json`));
  return loading;
}

/** A dialog that finds pages and parts of pages, by the keyboard alone or by hand. */
export function startSearch(): void {
  const dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", "Search");
  dialog.innerHTML = `<form method="dialog"><input type="search" role="combobox" aria-expanded="true" aria-controls="found" aria-label="Search for" placeholder="Search the pages and the reference" autocomplete="off" spellcheck="false"><button>Close</button></form><ul id="found" role="listbox" aria-label="Found"></ul><p role="status"></p>`;
  document.body.append(dialog);
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("ul");
  const status = dialog.querySelector<HTMLElement>("[role=status]");
  if (input === null || list === null || status === null) return;

  const open = (): void => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    void loadIndex();
  };
  let asked = "";
  const search = async (): Promise<void> => {
    asked = input.value;
    const question = asked;
    const loaded = await loadIndex();
    // Only the last question is answered.
    if (question !== asked) return;
    const found = find(loaded, question);
    list.replaceChildren(...found.map(rowOf));
    move(list, input, 0);
    status.textContent =
      found.length === 0 && question.trim() !== "" ? "Nothing is called that or speaks of it." : "";
  };
  for (const button of document.querySelectorAll("[data-search]")) {
    button.addEventListener("click", open);
  }
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isAsked = event.key === "/" || (event.key === "k" && (event.metaKey || event.ctrlKey));
    if (!isAsked || isTyping) return;
    event.preventDefault();
    open();
  });
  input.addEventListener("input", () => void search());
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(list, input, chosen(list) + step);
    }
    // Otherwise the first Escape would only empty the field.
    if (event.key === "Escape") {
      event.preventDefault();
      dialog.close();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      list.querySelector<HTMLAnchorElement>("[aria-selected=true] a")?.click();
    }
  });
  // A link to a part of this same page loads nothing that would close the dialog.
  list.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
}

function chosen(list: HTMLElement): number {
  return [...list.children].findIndex((each) => each.getAttribute("aria-selected") === "true");
}

function move(list: HTMLElement, input: HTMLElement, to: number): void {
  const rows = [...list.children];
  const chosenPlace = Math.max(0, Math.min(to, rows.length - 1));
  for (const [place, each] of rows.entries()) {
    each.setAttribute("aria-selected", String(place === chosenPlace));
  }
  const row = rows[chosenPlace];
  if (row === undefined) input.removeAttribute("aria-activedescendant");
  else {
    input.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "nearest" });
  }
}

function rowOf(found: Found, place: number): HTMLElement {
  const item = document.createElement("li");
  item.id = `found-${place}`;
  item.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = root + found.id;
  link.tabIndex = -1;
  const title = document.createElement("strong");
  title.textContent = found.title;
  const where = document.createElement("small");
  where.textContent = found.where;
  const excerpt = document.createElement("span");
  for (const { text, isHit } of found.excerpt) {
    const part = document.createElement(isHit ? "mark" : "span");
    part.textContent = text;
    excerpt.append(part);
  }
  link.append(title, where, excerpt);
  item.append(link);
  return item;
}
