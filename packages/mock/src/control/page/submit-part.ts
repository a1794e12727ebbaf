import type { KeyAccount, State } from "../routes/state.ts";
import type { PageModel } from "./page-model.ts";
import { exampleImages } from "./example-images.ts";
import { card, formValues } from "./parts.ts";
import { submit } from "./server.ts";
import { h, type Child, type Shape } from "./shape.ts";
import { amount, counted } from "./words.ts";

const sizes = ["1K", "2K", "4K"] as const;

/** A form that submits an example job as any client does. */
export function submitPart(desk: PageModel, state: State): Shape {
  const send = (event: Event): void => {
    const values = formValues(event);
    const working = submission(desk, values);
    if (values["wait"] === undefined) void desk.perform("submit", () => working());
    else void held(desk, working);
  };
  return card(
    "submit",
    "New try-on",
    undefined,
    h(
      "form",
      { class: "fields", on: { submit: send } },
      field(
        "Prompt",
        h("textarea", {
          name: "prompt",
          rows: 2,
          maxlength: 1_000,
          placeholder: "soft morning light",
        }),
      ),
      h(
        "fieldset",
        { class: "sizes" },
        h("legend", {}, "Size"),
        sizes.map((size) =>
          h(
            "label",
            {},
            h("input", { type: "radio", name: "output_size", value: size, checked: size === "1K" }),
            h("span", {}, size),
          ),
        ),
      ),
      field("Key", h("select", { name: "key" }, state.keys.map(keyChoice))),
      field(
        "Webhook",
        h("input", { name: "webhook_url", type: "url", placeholder: "http://localhost:3000/hook" }),
      ),
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", name: "wait", value: "true" }),
        h("span", {}, "Hold the call until the job ends"),
      ),
      h(
        "button",
        {
          type: "submit",
          class: "primary",
          "aria-disabled": desk.isBusy("submit") ? "true" : undefined,
        },
        "Submit try-on",
      ),
      desk.held > 0 &&
        h(
          "p",
          { class: "hint", role: "status" },
          `${counted(desk.held, "call")} held until the job ends.`,
        ),
    ),
  );
}

function field(name: string, input: Shape): Child {
  return h("label", { class: "field" }, h("span", {}, name), input);
}

function keyChoice({ token, name, credits, mode }: KeyAccount): Child {
  if (token === null) return undefined;
  const left = mode === "test" ? "free" : `${amount(credits)} credits`;
  return h("option", { key: token, value: token }, `${name ?? token}, ${left}`);
}

/** Submits what the form said, and says what the service answered. */
function submission(
  desk: PageModel,
  { key = "", prompt = "", output_size, webhook_url = "", wait }: Readonly<Record<string, string>>,
): () => Promise<string> {
  return async () => {
    const { person, garment } = exampleImages();
    const { job_id, status } = await submit(key, {
      person_image_b64: person,
      garment_images_b64: [garment],
      output_size,
      wait: wait !== undefined,
      ...(prompt !== "" && { prompt }),
      ...(webhook_url !== "" && { webhook_url }),
    });
    void desk.look();
    return `${String(job_id)} is ${String(status)}.`;
  };
}

/** A call that is held does not keep others from being made. */
async function held(desk: PageModel, working: () => Promise<string>): Promise<void> {
  desk.held += 1;
  const answered = desk.tell(working);
  void desk.look();
  await answered;
  desk.held -= 1;
  await desk.look();
}
