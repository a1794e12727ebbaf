import type { State } from "../routes/state-view.ts";
import { command } from "./api.ts";
import { dateTime, duration, fromNow } from "./format.ts";
import { page } from "./page-model.ts";
import { Action, Form, milliseconds, SecondsInput } from "./parts.tsx";

export function Header() {
  const { pollError } = page;
  const connection = page.state === undefined ? "Connecting" : "Live";
  return (
    <header>
      <div class="bar row">
        <h1 class="row">
          <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M8.5 3 3 6l2 5 2-1v11h10V10l2 1 2-5-5.5-3a3.5 3.5 0 0 1-7 0z" />
          </svg>
          Try-on mock
        </h1>
        <span class="host mono muted cut">{location.host}</span>
        <span class={pollError === undefined ? "live row" : "live row offline"}>
          {pollError === undefined ? connection : "No response"}
        </span>
        <div class="grow" />
        <Action class="danger" run={reset}>
          Reset
        </Action>
      </div>
      {pollError !== undefined && (
        <p class="disconnected" role="alert">
          The server does not respond. {pollError} The page shows the last state and reconnects
          automatically.
        </p>
      )}
    </header>
  );
}

async function reset(): Promise<string | undefined> {
  if (!confirm("Delete all jobs, deliveries, faults and added keys?")) return undefined;
  await command("reset");
  return "The server is back in its initial state.";
}

const steps = [
  [1_000, "+1 s"],
  [10_000, "+10 s"],
  [60_000, "+1 min"],
  [3_600_000, "+1 h"],
] as const;

export function Clock({ now, clock, next }: State) {
  const [date = "", time = ""] = dateTime(now).split(" ");
  const event = next?.kind === "delivery" ? "webhook attempt" : "end of a job";
  return (
    <section class="card clock row wrap apart" aria-label="Clock">
      <div>
        <div class="time mono">
          {time.slice(0, 8)}
          <span class="muted">{time.slice(8)}</span>
        </div>
        <div class="details row wrap">
          <span class="mono">{date} UTC</span>
          <span class="tag">{clock} clock</span>
          <span>{next ? `Next: ${event} ${fromNow(next.at, now)}` : "Nothing is due."}</span>
        </div>
      </div>
      <div class="row wrap">
        <div class="steps row wrap">
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
        <Form
          class="own-step row"
          button="Advance"
          run={({ seconds }) => command("clock", { advance_ms: milliseconds(seconds) })}
        >
          <SecondsInput placeholder="seconds" required />
        </Form>
      </div>
    </section>
  );
}
