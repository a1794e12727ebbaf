import { createTryOnSession, describeForShoppers, PageClient } from "@tryon/client/session";

import { choosePhoto } from "./choose-photo.ts";

function find<Type extends Element>(selector: string, type: new () => Type): Type {
  const element = document.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} at ${selector}.`);
}

const [form, result] = [find("form", HTMLFormElement), find(".result", HTMLElement)];
const [preview, problem] = [find(".photo", HTMLImageElement), find(".problem", HTMLElement)];
const [before, after] = [find(".before", HTMLImageElement), find(".after", HTMLImageElement)];
const slider = find("[type=range]", HTMLInputElement);
const download = find("a[download]", HTMLAnchorElement);
const button = (name: string) => find(`[data-do=${name}]`, HTMLButtonElement);

// Gives the visitor the cookie that the proxy requires. Without it, the page asks for a reload.
await fetch("/api/visitor", { method: "POST" }).catch(() => undefined);
const tryon = new PageClient({ baseUrl: "/api/tryon" });
const session = createTryOnSession(tryon);
let photo: Blob | undefined;
/** The last file that was chosen, since a large one takes longer than the next. */
let latest: File | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a blob, and releases the memory of the one before. */
function showBlob(image: HTMLImageElement, blob: Blob | undefined): void {
  URL.revokeObjectURL(image.src);
  image.hidden = blob === undefined;
  if (blob) image.src = URL.createObjectURL(blob);
  else image.removeAttribute("src");
}

/** A screen reader repeats a text that is set again. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function showText(): void {
  const state = session.getSnapshot();
  const { text, elapsed = 0 } = describeForShoppers(state);
  const isBusy = result.dataset["state"] === "busy";
  setText(find(".message", HTMLElement), text || "Your image appears here.");
  const time = `${Math.floor(elapsed / 60)}:${String(elapsed % 60).padStart(2, "0")}`;
  setText(find(".elapsed", HTMLElement), isBusy ? time : "");
  clearTimeout(timer);
  if (isBusy) timer = setTimeout(showText, 1_000);
}

function show(): void {
  const state = session.getSnapshot();
  const { action } = describeForShoppers(state);
  const isBusy = ["preparing", "uploading", "waiting"].includes(state.status);
  const isDone = state.status === "succeeded";
  const stage = isBusy ? "busy" : state.status;
  const id = "startedAt" in state ? String(state.startedAt) : "";
  const hasChanged = result.dataset["state"] !== stage || result.dataset["id"] !== id;
  const hadFocus = result.contains(document.activeElement);
  Object.assign(result.dataset, { state: stage, id });
  find("form > .primary", HTMLButtonElement).disabled = isBusy;
  button("resume").hidden = action !== "resume";
  button("reload").hidden = action !== "reload";
  button("stop").hidden = !isBusy;
  button("restart").hidden = isBusy || state.status === "idle";
  button("delete").hidden = !photo && state.status === "idle";
  showText();
  if (!hasChanged) return;
  // After a reload, the browser has only the result.
  showBlob(before, "person" in state ? state.person : undefined);
  showBlob(after, isDone ? state.image : undefined);
  slider.hidden = !isDone || before.hidden;
  download.hidden = !isDone;
  download.href = after.src;
  // The button that had the focus may be hidden now.
  if (hadFocus) (state.status === "idle" ? find("input", HTMLInputElement) : result).focus();
}

async function choose(input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? [];
  // Without this, choosing the same file again would not trigger an event.
  input.value = "";
  if (!file) return;
  setPhoto(undefined);
  latest = file;
  const chosen = await choosePhoto(tryon, file);
  if (latest !== file) return;
  problem.textContent = typeof chosen === "string" ? `${file.name}: ${chosen}` : "";
  if (typeof chosen !== "string") setPhoto(chosen);
}

function setPhoto(chosen: Blob | undefined): void {
  latest = undefined;
  photo = chosen;
  showBlob(preview, photo);
  show();
}

async function start(): Promise<void> {
  const chosen = [...form.querySelectorAll<HTMLInputElement>(":checked")];
  // The proxy replaces the products by their images.
  const garments = chosen.map(({ value }) => new URL(`/products/${value}`, location.href).href);
  const input = { person: photo ?? "", garments };
  const issue = (await tryon.validate(input)).find(({ severity }) => severity === "error");
  problem.textContent = issue ? describeForShoppers(issue).text : "";
  if (issue) return;
  const started = session.start(input);
  result.focus({ preventScroll: true });
  // On a phone, the result is below the form.
  result.scrollIntoView();
  await started;
}

function moveSlider(): void {
  result.style.setProperty("--before", `${slider.value}%`);
  slider.setAttribute("aria-valuetext", `${slider.value}% before`);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void start();
});
for (const input of form.querySelectorAll<HTMLInputElement>("input[type=file]")) {
  input.addEventListener("change", () => void choose(input));
  // The visitor may have chosen a file before this script ran.
  void choose(input);
}
slider.addEventListener("input", moveSlider);
button("resume").addEventListener("click", () => void session.resume());
button("reload").addEventListener("click", () => location.reload());
button("stop").addEventListener("click", session.cancelWait);
button("restart").addEventListener("click", () => void session.reset());
button("delete").addEventListener("click", () => {
  setPhoto(undefined);
  void session.reset();
});
moveSlider();
session.subscribe(show);
show();
