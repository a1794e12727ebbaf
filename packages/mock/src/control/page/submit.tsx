import { useState } from "preact/hooks";

import type { State } from "../routes/state-view.ts";
import { command, submit } from "./api.ts";
import { exampleImages } from "./example-images.ts";
import { amount, counted, duration, joinTexts } from "./format.ts";
import { page } from "./page-model.ts";
import { Card, Form, type FormValues } from "./parts.tsx";

/** A form that submits an example job. */
export function Submit({ keys }: State) {
  const [waiting, setWaiting] = useState(0);
  const send = async (values: FormValues): Promise<string | undefined> => {
    if (values["wait"] === undefined) return submitExample(values);
    // A synchronous submission does not block the form.
    setWaiting((count) => count + 1);
    void page.run(() => submitExample(values)).then(() => setWaiting((count) => count - 1));
    return undefined;
  };
  const status = waiting > 0 && (
    <p class="hint" role="status">
      {counted(waiting, "request")} in progress until the job ends.
    </p>
  );
  return (
    <Card name="submit" title="New try-on">
      <Form class="fields" button="Submit try-on" buttonClass="primary" status={status} run={send}>
        <label class="field">
          <span>Prompt</span>
          <textarea name="prompt" rows={2} maxLength={1_000} placeholder="soft morning light" />
        </label>
        <fieldset class="sizes">
          <legend>Size</legend>
          {["1K", "2K", "4K"].map((size) => (
            <label key={size}>
              <input type="radio" name="output_size" value={size} defaultChecked={size === "1K"} />
              <span>{size}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>Key</span>
          <select name="key">
            {keys.map(
              ({ token, name, credits, mode }) =>
                token !== null && (
                  <option key={token} value={token}>
                    {name ?? token}, {mode === "test" ? "free" : `${amount(credits)} credits`}
                  </option>
                ),
            )}
          </select>
        </label>
        <label class="field">
          <span>Webhook</span>
          <input name="webhook_url" type="url" placeholder="http://localhost:3000/hook" />
        </label>
        <label class="check">
          <input type="checkbox" name="wait" value="true" />
          <span>Wait until the job ends</span>
        </label>
      </Form>
    </Card>
  );
}

async function submitExample(values: FormValues): Promise<string> {
  const { key = "", prompt, output_size, webhook_url, wait } = values;
  const { job_id, status } = await submit(key, {
    ...exampleImages(),
    output_size,
    wait: wait !== undefined,
    ...(prompt && { prompt }),
    ...(webhook_url && { webhook_url }),
  });
  return `${String(job_id)} is ${String(status)}.`;
}

const outcomes = [
  "succeeded",
  "content_blocked",
  "model_rejected",
  "storage_failed",
  "failed",
  "never",
];

const setNextJob = ({ outcome, seconds }: FormValues) =>
  command("next-job", {
    outcome,
    ...(seconds && { duration_ms: Math.round(Number(seconds) * 1_000) }),
  });

/** A form that sets the outcome of the next job, and the outcomes already set. */
export function NextJob({ next_jobs: jobs }: State) {
  return (
    <Card name="next-job" title="Next job">
      <Form class="line-form" button="Set" run={setNextJob}>
        <select name="outcome" aria-label="Outcome">
          {outcomes.map((outcome) => (
            <option key={outcome} value={outcome} selected={outcome === "content_blocked"}>
              {outcome}
            </option>
          ))}
        </select>
        <input
          name="seconds"
          type="number"
          min={0}
          step="any"
          placeholder="usual s"
          aria-label="Duration in seconds"
        />
      </Form>
      {jobs.length > 0 && (
        <ol class="queue">
          {jobs.map(
            ({ outcome, error_message: error, duration_ms: length, api_key: key }, index) => (
              <li key={index}>
                {joinTexts(
                  " ",
                  error ?? outcome,
                  length !== null && `after ${duration(length)}`,
                  key !== null && `for ${key}`,
                )}
              </li>
            ),
          )}
        </ol>
      )}
    </Card>
  );
}
