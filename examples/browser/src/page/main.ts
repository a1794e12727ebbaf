import { find } from "./elements.ts";
import { Fitting } from "./fitting.ts";
import { Mirror } from "./mirror.ts";
import { OrderForm } from "./order-form.ts";
import { connect, placeOf } from "./service.ts";

async function open(): Promise<void> {
  const place = placeOf(new URL(location.href));
  const link = find(document, `[data-place="${place}"]`, HTMLAnchorElement);
  link.setAttribute("aria-current", "page");
  const { tryon, store } = await connect(place);
  const form = new OrderForm(find(document, "form.order", HTMLFormElement), tryon, (wish) => {
    void fitting.start(wish);
  });
  const mirror = new Mirror(find(document, ".mirror", HTMLElement), {
    pickUp: () => void fitting.pickUp(),
    stop: () => fitting.stop(),
    forget: () => void fitting.forget(),
    mend: (remedy) => void fitting.mend(remedy),
  });
  const fitting = new Fitting(tryon, store, (stage) => {
    const left = stage.name === "empty" && mirror.hasFocus;
    form.setBusy(stage.name === "working");
    mirror.show(stage);
    if (left) form.focus();
  });
  await fitting.open();
}

try {
  await open();
} catch (error) {
  const words = "The fitting room could not be opened. Reload the page.";
  find(document, ".missing", HTMLElement).textContent = words;
  throw error;
}
