import { connect } from "./connect.ts";
import { findElement } from "./elements.ts";
import { toInput } from "./form-values.ts";
import { RequestForm } from "./request-form.ts";
import { isBusy, ResultPanel } from "./result-panel.ts";

async function open(): Promise<void> {
  const { searchParams } = new URL(location.href);
  const mode = searchParams.has("mock") ? "mock" : "shop";
  const link = findElement(document, `[data-mode="${mode}"]`, HTMLAnchorElement);
  link.setAttribute("aria-current", "page");
  const { tryon, session } = await connect(mode);
  const panel = new ResultPanel(findElement(document, ".result", HTMLElement), session);
  const form = new RequestForm(findElement(document, "form", HTMLFormElement), tryon, (values) => {
    void session.start(toInput(values));
  });
  await form.chooseGarment(searchParams.get("garment") ?? "");
  const photo = findElement(document, "[data-field=person]", HTMLElement);
  findElement(photo, "[data-action=delete-photo]", HTMLElement).addEventListener("click", () => {
    form.clearPhoto();
    void session.reset();
    panel.announce("Your photo was deleted from this browser.");
  });
  session.subscribe(() => {
    const state = session.getSnapshot();
    photo.classList.toggle("saved", state.status !== "idle");
    const focusForm = state.status === "idle" && panel.hasFocus;
    form.setBusy(isBusy(state));
    panel.show(state);
    if (focusForm) form.focus();
  });
}

try {
  await open();
} catch (error) {
  findElement(document, ".missing", HTMLElement).textContent =
    "The page could not be opened. Reload it.";
  throw error;
}
