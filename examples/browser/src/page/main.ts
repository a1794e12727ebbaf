import { connect } from "./connect.ts";
import { findElement } from "./elements.ts";
import { RequestForm } from "./request-form.ts";
import { ResultPanel } from "./result-panel.ts";
import { TryOnSession } from "./try-on-session.ts";

async function open(): Promise<void> {
  const mode = new URL(location.href).searchParams.has("mock") ? "mock" : "shop";
  const link = findElement(document, `[data-mode="${mode}"]`, HTMLAnchorElement);
  link.setAttribute("aria-current", "page");
  const { tryon, store } = await connect(mode);
  const panel = new ResultPanel(findElement(document, ".result", HTMLElement), () => session);
  const session = new TryOnSession(tryon, store, (state) => {
    const focusForm = state.name === "empty" && panel.hasFocus;
    form.setBusy(state.name === "running");
    panel.show(state);
    if (focusForm) form.focus();
  });
  const form = new RequestForm(findElement(document, "form", HTMLFormElement), tryon, (values) => {
    void session.start(values);
  });
  await session.open();
}

try {
  await open();
} catch (error) {
  findElement(document, ".missing", HTMLElement).textContent =
    "The page could not be opened. Reload it.";
  throw error;
}
