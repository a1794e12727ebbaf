import type { PageModel } from "./page-model.ts";
import { action } from "./parts.ts";
import { command } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { timeOfDay } from "./words.ts";

/** How long, in milliseconds, a first click on Reset counts. */
const armedFor = 4_000;

/** How many snapshots the page offers to go back to. */
const offered = 3;

/** What server this is, whether it answers, and going back in its time. */
export function headerPart(desk: PageModel): Shape {
  return h(
    "header",
    { key: "header" },
    h(
      "div",
      { class: "bar" },
      h(
        "h1",
        {},
        h(
          "svg",
          { class: "logo", viewBox: "0 0 24 24", "aria-hidden": "true" },
          h("path", { d: "M8.5 3 3 6l2 5 2-1v11h10V10l2 1 2-5-5.5-3a3.5 3.5 0 0 1-7 0z" }),
        ),
        "Try-on mock",
      ),
      h("span", { class: "host mono" }, location.host),
      h("span", { class: desk.lost === undefined ? "live" : "live lost" }, connection(desk)),
      h("div", { class: "grow" }),
      timeTravel(desk),
    ),
    desk.lost !== undefined &&
      h(
        "p",
        { class: "gone", role: "alert" },
        `The server does not answer. ${desk.lost} What you see is its last state; the page goes on by itself when the server is back.`,
      ),
  );
}

function connection(desk: PageModel): string {
  if (desk.lost !== undefined) return "No answer";
  return desk.state === undefined ? "Connecting" : "Live";
}

function timeTravel(desk: PageModel): Child {
  const take = async (): Promise<string> => {
    const { snapshot_id: id } = await command("snapshot");
    const taken = { id: String(id), at: desk.state?.now ?? 0 };
    desk.snapshots = [...desk.snapshots, taken].slice(-offered);
    return `Took ${taken.id}.`;
  };
  return h(
    "div",
    { class: "travel" },
    action(
      desk,
      { name: "snapshot", text: "Snapshot", title: "Take down everything as it is" },
      take,
    ),
    desk.snapshots.map(({ id, at }) =>
      action(
        desk,
        { name: id, text: `Restore ${id}`, title: `Taken at ${timeOfDay(at)}` },
        async () => {
          await command("restore", { snapshot_id: id });
          return `Back at ${id}.`;
        },
      ),
    ),
    resetButton(desk),
  );
}

function resetButton(desk: PageModel): Shape {
  const disarm = (): void => {
    desk.resetArmed = false;
    desk.render();
  };
  const click = (): void => {
    if (!desk.resetArmed) {
      desk.resetArmed = true;
      setTimeout(disarm, armedFor);
      desk.render();
      return;
    }
    desk.resetArmed = false;
    void desk.perform("reset", async () => {
      await command("reset");
      return "The server is as at its start.";
    });
  };
  const text = desk.resetArmed ? "Click again to reset" : "Reset";
  const title = "Forget all jobs, deliveries, faults and added keys";
  const look = desk.resetArmed ? "danger armed" : "danger";
  const on = { click, blur: disarm };
  return h("button", { key: "reset", type: "button", class: look, title, on }, text);
}
