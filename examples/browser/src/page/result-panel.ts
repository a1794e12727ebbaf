import type { TryOnSession, TryOnSnapshot } from "@tryon/client/session";

import { createElement, findElement, showBlob } from "./elements.ts";
import { errorMessage, type ErrorAction } from "./error-message.ts";
import { durationMessage, formatTime, stepMessage, type BusySnapshot } from "./progress.ts";

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

export function isBusy(state: TryOnSnapshot): state is BusySnapshot {
  return ["preparing", "uploading", "waiting"].includes(state.status);
}

/** Shows the state of a session: progress, errors and the image. */
export class ResultPanel {
  readonly #root: HTMLElement;
  readonly #session: TryOnSession;
  readonly #slider: HTMLInputElement;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(root: HTMLElement, session: TryOnSession) {
    this.#root = root;
    this.#session = session;
    this.#slider = findElement(root, "input[type=range]", HTMLInputElement);
    this.#slider.addEventListener("input", () => this.#moveSlider());
    const discard = findElement(root, "[data-action=discard]", HTMLButtonElement);
    discard.addEventListener("click", () => void session.reset());
  }

  get hasFocus(): boolean {
    return this.#root.contains(document.activeElement);
  }

  show(state: TryOnSnapshot): void {
    const card = this.#cardOf(state);
    clearInterval(this.#timer);
    if (card !== undefined) {
      this.#setText(".title", card.title);
      this.#setText(".text", card.text);
    }
    if (isBusy(state)) this.#startTimer(state.startedAt);
    const stage = isBusy(state) ? "running" : state.status;
    if (this.#root.dataset["state"] !== stage) this.#change(state, stage, card);
    const summary = state.status === "failed" ? `${card?.title}. ${card?.text}` : card?.title;
    this.announce(state.status === "succeeded" ? "Your image is ready." : (summary ?? ""));
  }

  #cardOf(state: TryOnSnapshot): Card | undefined {
    const session = this.#session;
    const discard = (label: string) => [label, () => session.reset()] as const;
    if (isBusy(state)) {
      const stop = ["Stop waiting", () => session.cancelWait()] as const;
      return { title: stepMessage(state), text: "", buttons: [stop] };
    }
    if (state.status === "interrupted") {
      const text =
        "A try-on cannot be canceled: your image is still made. You can get it later, even after you close this page.";
      const getImage = ["Get the image", () => session.resume()] as const;
      return { title: "You stopped waiting", text, buttons: [getImage, discard("Discard")] };
    }
    if (state.status === "failed") {
      const { error, canResume, jobId } = state;
      // The code is for the support of the shop, not for visitors.
      this.#root.dataset["code"] = error.code;
      const message = errorMessage(error, { hasJob: jobId !== undefined, canResume });
      const { title, advice } = message;
      if (message.action === "reload") {
        const reload = [errorActions.reload, () => location.reload()] as const;
        return { title, text: advice, buttons: [reload, discard("Start over")] };
      }
      if (message.action === "edit") {
        return { title, text: advice, buttons: [discard(errorActions.edit)] };
      }
      const resume = [errorActions[message.action], () => session.resume()] as const;
      return { title, text: advice, buttons: [resume, discard("Start over")] };
    }
    return undefined;
  }

  /** Shows another state. */
  #change(state: TryOnSnapshot, stage: string, card: Card | undefined): void {
    const takeFocus = stage === "running" || this.hasFocus;
    this.#root.dataset["state"] = stage;
    const visible = card === undefined ? stage : "card";
    for (const element of this.#root.querySelectorAll<HTMLElement>(".stage")) {
      element.hidden = element.dataset["stage"] !== visible;
    }
    const buttons = card?.buttons.map(([label, onClick], index) => {
      const className = index === 0 && stage !== "running" ? "primary" : "";
      const button = createElement("button", { type: "button", className }, label);
      button.addEventListener("click", onClick);
      return button;
    });
    findElement(this.#root, ".card .actions", HTMLElement).replaceChildren(...(buttons ?? []));
    const image = (selector: string) => findElement(this.#root, selector, HTMLImageElement);
    showBlob(image(".backdrop"), "person" in state ? state.person : undefined);
    const done = state.status === "succeeded" ? state : undefined;
    // After a reload, the browser has only the result.
    const before = done?.person;
    showBlob(image(".before"), before);
    showBlob(image(".after"), done?.image);
    for (const part of this.#root.querySelectorAll<HTMLElement>(".compare :not(.after)")) {
      part.hidden = before === undefined;
    }
    const download = findElement(this.#root, "[data-action=download]", HTMLAnchorElement);
    download.href = image(".after").src;
    this.#slider.value = "22";
    this.#moveSlider();
    // The focused button no longer exists.
    if (takeFocus) this.#root.focus({ preventScroll: true });
    // On a phone, the panel is below the form.
    if (takeFocus) this.#root.scrollIntoView({ block: "nearest" });
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

  announce(text: string): void {
    const element = findElement(this.#root, ".announcement", HTMLElement);
    // A screen reader repeats text that is set again.
    if (element.textContent !== text) element.textContent = text;
  }
}
