import { clockPart } from "./clock-part.ts";
import { deliveriesPart } from "./deliveries-part.ts";
import { PageModel } from "./page-model.ts";
import { faultsPart } from "./faults-part.ts";
import { headerPart } from "./header-part.ts";
import { jobDialog } from "./job-dialog.ts";
import { jobsPart } from "./jobs-part.ts";
import { keysPart, optionsPart } from "./keys-part.ts";
import { nextJobPart } from "./next-job-part.ts";
import { empty } from "./parts.ts";
import { patch } from "./patch.ts";
import { h, type Shape } from "./shape.ts";
import { submitPart } from "./submit-part.ts";

/** The page itself: draws what the desk knows, and takes the chosen job from the address. */
function start(): void {
  const [page, dialog, job, notices] = ["page", "dialog", "job", "notices"].map((id) =>
    document.getElementById(id),
  );
  if (!page || !job || !notices || !(dialog instanceof HTMLDialogElement)) return;
  const close = (): void => dialog.close();
  const desk = new PageModel((current) => {
    patch(page, pageShapes(current));
    patch(job, current.chosenId === "" ? [] : jobDialog(current, close));
    patch(
      notices,
      current.notices.map((notice) => noticeShape(current, notice)),
    );
  });
  const choose = (): void => {
    desk.chosenId = location.hash.slice(1);
    desk.render();
    if (desk.chosenId === "") dialog.close();
    else if (!dialog.open) {
      // What stands outside of an open dialog is out of sight and out of reach, messages too.
      dialog.append(notices);
      dialog.showModal();
    }
    void desk.look();
  };
  dialog.addEventListener("close", () => {
    if (location.hash !== "") history.pushState(null, "", location.pathname);
    desk.chosenId = "";
    document.body.append(notices);
    desk.render();
  });
  // A click beside the dialog is one on its backdrop, which counts as the dialog itself.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  addEventListener("hashchange", choose);
  addEventListener("popstate", choose);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void desk.look();
  });
  desk.render();
  choose();
}

function pageShapes(desk: PageModel): readonly Shape[] {
  const { state } = desk;
  const header = headerPart(desk);
  if (state === undefined)
    return [header, h("main", { key: "waiting" }, empty("Looking for the server…"))];
  return [
    header,
    h(
      "main",
      { key: "main", class: desk.lost === undefined ? "" : "stale" },
      clockPart(desk, state),
      h(
        "div",
        { class: "columns" },
        h("div", { class: "column" }, jobsPart(desk, state), deliveriesPart(desk, state)),
        h(
          "div",
          { class: "column rail" },
          submitPart(desk, state),
          nextJobPart(desk, state),
          faultsPart(desk, state),
          keysPart(desk, state),
          optionsPart(state),
        ),
      ),
    ),
  ];
}

function noticeShape(desk: PageModel, { id, kind, text }: PageModel["notices"][number]): Shape {
  const dismiss = (): void => desk.dismiss(id);
  return h(
    "div",
    { key: String(id), class: `notice ${kind}`, role: kind === "failed" ? "alert" : "status" },
    h("span", {}, text),
    h(
      "button",
      { type: "button", class: "close", "aria-label": "Dismiss", on: { click: dismiss } },
      "×",
    ),
  );
}

start();
