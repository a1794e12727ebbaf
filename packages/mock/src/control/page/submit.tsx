import type { State } from "../routes/state-view.ts";
import { command, submit } from "./api.ts";
import { exampleImages } from "./example-images.ts";
import { amount, duration, joinTexts } from "./format.ts";
import { Card, Form, milliseconds, SecondsInput, type FormValues } from "./parts.tsx";

export function Submit({ keys }: State) {
  return (
    <Card name="submit" title="New try-on">
      <Form class="fields" button="Submit try-on" buttonClass="strong" run={submitExample}>
        <label class="field">
          <span class="details">Prompt</span>
          <textarea name="prompt" rows={2} maxLength={1_000} placeholder="soft morning light" />
        </label>
        <fieldset class="sizes">
          <legend class="details">Size</legend>
          {["1K", "2K", "4K"].map((size) => (
            <label key={size}>
              <input type="radio" name="output_size" value={size} defaultChecked={size === "1K"} />
              <span>{size}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span class="details">Key</span>
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
          <span class="details">Webhook</span>
          <input name="webhook_url" type="url" placeholder="http://localhost:3000/hook" />
        </label>
        <label class="check row">
          <input type="checkbox" name="wait" value="true" />
          <span>Wait until the job ends</span>
        </label>
      </Form>
    </Card>
  );
}

async function submitExample({ key = "", wait, ...fields }: FormValues): Promise<string> {
  const sent = Object.entries(fields).filter(([, value]) => value !== "");
  const body = { ...exampleImages(), ...Object.fromEntries(sent), wait: wait !== undefined };
  const { job_id, status } = await submit(key, body);
  return `${String(job_id)} is ${String(status)}.`;
}

const outcomes = [
  "content_blocked",
  "model_rejected",
  "storage_failed",
  "failed",
  "never",
  "succeeded",
];

const setNextJob = ({ outcome, seconds }: FormValues) =>
  command("next-job", { outcome, ...(seconds && { duration_ms: milliseconds(seconds) }) });

export function NextJob({ next_jobs: jobs }: State) {
  return (
    <Card name="next-job" title="Next job">
      <Form class="line-form" button="Set" run={setNextJob}>
        <select name="outcome" aria-label="Outcome">
          {outcomes.map((outcome) => (
            <option key={outcome}>{outcome}</option>
          ))}
        </select>
        <SecondsInput placeholder="usual s" />
      </Form>
      {jobs.length > 0 && (
        <ol class="queue muted">
          {jobs.map(({ outcome, error_message, duration_ms: length, api_key: key }, index) => (
            <li key={index}>
              {joinTexts(
                " ",
                error_message ?? outcome,
                length !== null && `after ${duration(length)}`,
                key !== null && `for ${key}`,
              )}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
