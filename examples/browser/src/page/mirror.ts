import { Compare } from "./compare.ts";
import { find } from "./elements.ts";
import type { ErrorWords, Remedy } from "./error-words.ts";
import type { Stage } from "./fitting.ts";
import { preview } from "./preview.ts";
import { clockTime, patienceWords, stepWords, type Step } from "./progress-words.ts";

/** What the button says that does it. */
const mendWords: Readonly<Record<Remedy, string>> = {
  again: "Try again",
  "find out": "Find out",
  wait: "Wait on",
  change: "Change something",
  reload: "Reload the page",
};

/** What can be asked of the one who makes the pictures. */
export interface MirrorActions {
  pickUp(): unknown;
  stop(): unknown;
  forget(): unknown;
  mend(remedy: Remedy): unknown;
}

/** Shows how a try-on comes along and what has come of it. */
export class Mirror {
  readonly #root: HTMLElement;
  readonly #spoken: HTMLElement;
  readonly #compare: Compare;
  #remedy: Remedy = "again";
  #ticking: ReturnType<typeof setInterval> | undefined;

  constructor(root: HTMLElement, actions: MirrorActions) {
    this.#root = root;
    this.#spoken = find(root, ".spoken", HTMLElement);
    this.#compare = new Compare(find(root, ".compare", HTMLElement));
    const on = (action: string, act: () => unknown): void => {
      for (const button of root.querySelectorAll(`button[data-action="${action}"]`)) {
        button.addEventListener("click", act);
      }
    };
    on("pick-up", () => actions.pickUp());
    on("stop", () => actions.stop());
    on("forget", () => actions.forget());
    on("mend", () => actions.mend(this.#remedy));
  }

  /** Whether something in here has the focus. */
  get hasFocus(): boolean {
    return this.#root.contains(document.activeElement);
  }

  show(stage: Stage): void {
    const place = this.#place(stage.name);
    clearInterval(this.#ticking);
    if (this.#root.dataset["stage"] !== stage.name) this.#turnTo(place, stage);
    if (stage.name === "working") this.#showWorking(place, stage.step, stage.since);
    if (stage.name === "failed") this.#showFailed(place, stage.words, stage.code);
    const words = this.#headline(stage);
    // Said once: a screen reader would repeat what is written anew.
    if (this.#spoken.textContent !== words) this.#spoken.textContent = words;
  }

  #place(name: Stage["name"]): HTMLElement {
    return find(this.#root, `[data-stage="${name}"]`, HTMLElement);
  }

  #turnTo(place: HTMLElement, stage: Stage): void {
    const begins = stage.name === "working" || this.hasFocus;
    this.#root.dataset["stage"] = stage.name;
    for (const other of this.#root.querySelectorAll<HTMLElement>("[data-stage]")) {
      other.hidden = other !== place;
      const backdrop = other.querySelector<HTMLImageElement>(".backdrop");
      if (backdrop)
        preview(backdrop, other === place && "person" in stage ? stage.person : undefined);
    }
    const [before, after] = stage.name === "done" ? [stage.before, stage.after] : [];
    this.#compare.show(before, after);
    if (after)
      find(place, "[data-action=download]", HTMLAnchorElement).href = this.#compare.address;
    // The button that was pressed is gone.
    if (begins) this.#root.focus({ preventScroll: true });
    // On a phone the mirror is below what was filled in.
    if (begins || stage.name === "offered") this.#root.scrollIntoView({ block: "nearest" });
  }

  #showWorking(place: HTMLElement, step: Step, since: number): void {
    find(place, ".step", HTMLElement).textContent = stepWords(step);
    const tick = (): void => {
      const elapsed = Math.max(0, Math.floor((Date.now() - since) / 1_000));
      find(place, ".elapsed", HTMLElement).textContent = clockTime(elapsed);
      find(place, ".patience", HTMLElement).textContent = patienceWords(elapsed);
    };
    tick();
    this.#ticking = setInterval(tick, 1_000);
  }

  #showFailed(place: HTMLElement, words: ErrorWords, code: string): void {
    this.#remedy = words.remedy;
    find(place, ".title", HTMLElement).textContent = words.title;
    find(place, ".advice", HTMLElement).textContent = words.advice;
    find(place, "[data-action=mend]", HTMLElement).textContent = mendWords[words.remedy];
    find(place, ".code", HTMLElement).textContent = code;
    // Changing something is starting over.
    find(place, ".other", HTMLElement).hidden = words.remedy === "change";
  }

  #headline(stage: Stage): string {
    if (stage.name === "working") return stepWords(stage.step);
    if (stage.name === "failed") return `${stage.words.title}. ${stage.words.advice}`;
    if (stage.name === "done") return "Your picture is here.";
    return this.#place(stage.name).querySelector("h2")?.textContent ?? "";
  }
}
