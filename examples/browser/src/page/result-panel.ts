import { createElement, findElement, showBlob } from "./elements.ts";
import type { ErrorAction } from "./error-message.ts";
import { durationMessage, formatTime, stepMessages } from "./progress.ts";
import type { SessionState, TryOnSession } from "./try-on-session.ts";

const errorActions: Readonly<Record<ErrorAction, string>> = {
  retry: "Try again",
  check: "Check the status",
  wait: "Keep waiting",
  edit: "Make changes",
  reload: "Reload the page",
};

/** Text and buttons of a state. */
interface Card {
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly (readonly [label: string, onClick: () => unknown])[];
}

/** Shows the state of a session: progress, errors and the image. */
export class ResultPanel {
  readonly #root: HTMLElement;
  readonly #session: () => TryOnSession;
  readonly #slider: HTMLInputElement;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(root: HTMLElement, session: () => TryOnSession) {
    this.#root = root;
    this.#session = session;
    this.#slider = findElement(root, "input[type=range]", HTMLInputElement);
    this.#slider.addEventListener("input", () => this.#moveSlider());
    const discard = findElement(root, "[data-action=discard]", HTMLButtonElement);
    discard.addEventListener("click", () => void session().discard());
  }

  get hasFocus(): boolean {
    return this.#root.contains(document.activeElement);
  }

  show(state: SessionState): void {
    const card = this.#cardOf(state);
    clearInterval(this.#timer);
    if (card !== undefined) {
      this.#setText(".title", card.title);
      this.#setText(".text", card.text);
    }
    this.#setText(".code", state.name === "failed" ? state.code : "");
    if (state.name === "running") this.#startTimer(state.startedAt);
    if (this.#root.dataset["state"] !== state.name) this.#change(state, card);
    const summary = state.name === "failed" ? `${card?.title}. ${card?.text}` : card?.title;
    this.#announce(state.name === "done" ? "Your image is ready." : (summary ?? ""));
  }

  #cardOf(state: SessionState): Card | undefined {
    const session = this.#session();
    const getImage = ["Get the image", () => session.resume()] as const;
    const discard = (label: string) => [label, () => session.discard()] as const;
    if (state.name === "running") {
      const stop = ["Stop waiting", () => session.stop()] as const;
      return { title: stepMessages[state.step], text: "", buttons: [stop] };
    }
    if (state.name === "saved") {
      const text = "It is saved in this browser. Getting the image costs nothing more.";
      return { title: "Your last try-on", text, buttons: [getImage, discard("Discard")] };
    }
    if (state.name === "stopped") {
      const text =
        "A try-on cannot be canceled. The image is still made, and charged once. You can get it later, even after you close this page.";
      return { title: "You stopped waiting", text, buttons: [getImage, discard("Discard")] };
    }
    if (state.name === "failed") {
      const { title, advice, action } = state.message;
      const recover = [errorActions[action], () => session.recover(action)] as const;
      // The action `edit` starts over, too.
      const buttons = action === "edit" ? [recover] : [recover, discard("Start over")];
      return { title, text: advice, buttons };
    }
    return undefined;
  }

  /** Shows another state. */
  #change(state: SessionState, card: Card | undefined): void {
    const takeFocus = state.name === "running" || this.hasFocus;
    this.#root.dataset["state"] = state.name;
    const visible = card === undefined ? state.name : "card";
    for (const stage of this.#root.querySelectorAll<HTMLElement>(".stage")) {
      stage.hidden = stage.dataset["stage"] !== visible;
    }
    const buttons = card?.buttons.map(([label, onClick], index) => {
      const className = index === 0 && state.name !== "running" ? "primary" : "";
      const button = createElement("button", { type: "button", className }, label);
      button.addEventListener("click", onClick);
      return button;
    });
    findElement(this.#root, ".card .actions", HTMLElement).replaceChildren(...(buttons ?? []));
    const image = (selector: string) => findElement(this.#root, selector, HTMLImageElement);
    showBlob(image(".backdrop"), "person" in state ? state.person : undefined);
    const [before, after] = state.name === "done" ? [state.before, state.after] : [];
    showBlob(image(".before"), before);
    showBlob(image(".after"), after);
    const download = findElement(this.#root, "[data-action=download]", HTMLAnchorElement);
    download.href = image(".after").src;
    this.#slider.value = "22";
    this.#moveSlider();
    // The focused button no longer exists.
    if (takeFocus) this.#root.focus({ preventScroll: true });
    // On a phone, the panel is below the form.
    if (takeFocus || state.name === "saved") this.#root.scrollIntoView({ block: "nearest" });
  }

  #startTimer(startedAt: number): void {
    const update = (): void => {
      const elapsed = Math.max(0, Math.floor((Date.now() - startedAt) / 1_000));
      this.#setText(".elapsed", formatTime(elapsed));
      this.#setText(".text", durationMessage(elapsed));
    };
    update();
    this.#timer = setInterval(update, 1_000);
  }

  #moveSlider(): void {
    const share = `${this.#slider.value}%`;
    findElement(this.#root, ".compare", HTMLElement).style.setProperty("--before", share);
    this.#slider.setAttribute("aria-valuetext", `${share} before`);
  }

  #setText(selector: string, text: string): void {
    findElement(this.#root, selector, HTMLElement).textContent = text;
  }

  #announce(text: string): void {
    const element = findElement(this.#root, ".announcement", HTMLElement);
    // A screen reader repeats text that is set again.
    if (element.textContent !== text) element.textContent = text;
  }
}
