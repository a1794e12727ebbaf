import type { State } from "../routes/state-view.ts";
import { command } from "./api.ts";
import { dateTime, duration, fromNow } from "./format.ts";
import { Action, Form, type FormValues } from "./parts.tsx";

const steps = [
  [1_000, "+1 s"],
  [10_000, "+10 s"],
  [60_000, "+1 min"],
  [3_600_000, "+1 h"],
] as const;

const units = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

const advance = ({ count, unit }: FormValues) =>
  command("clock", { advance_ms: Math.round(Number(count) * Number(unit)) });

/** Time of the server, and controls that advance it. */
export function Clock({ state }: { readonly state: State }) {
  const [date = "", time = ""] = dateTime(state.now).split(" ");
  return (
    <section class="card clock" aria-label="Clock">
      <div class="clock-face">
        <div class="time mono">
          {time.slice(0, 8)}
          <span>{time.slice(8)}</span>
        </div>
        <div class="under">
          <span class="mono">{date} UTC</span>
          <span class="tag">{state.clock} clock</span>
          <span class="next">{nextText(state)}</span>
        </div>
      </div>
      <div class="clock-steps">
        <div class="steps">
          {steps.map(([length, text]) => (
            <Action
              key={text}
              title={`Advance the clock by ${duration(length)}`}
              run={() => command("clock", { advance_ms: length })}
            >
              {text}
            </Action>
          ))}
          <Action
            class="strong"
            title="Advance the clock until nothing is due"
            run={() => command("clock", { run_all: true })}
          >
            Run all
          </Action>
        </div>
        <Form class="own-step" button="Advance" run={advance}>
          <input
            name="count"
            type="number"
            min={0}
            step="any"
            defaultValue="30"
            required
            inputMode="decimal"
            aria-label="Duration"
          />
          <select name="unit" aria-label="Unit">
            {Object.entries(units).map(([name, length]) => (
              <option key={name} value={length} selected={name === "s"}>
                {name}
              </option>
            ))}
          </select>
        </Form>
      </div>
    </section>
  );
}

function nextText({ next, now }: State): string {
  if (next === null) return "Nothing is due.";
  const event = next.kind === "delivery" ? "webhook attempt" : "end of a job";
  return `Next: ${event} ${fromNow(next.at, now)}`;
}
