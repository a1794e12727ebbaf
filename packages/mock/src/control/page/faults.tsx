import type { Requests } from "../routes/page-routes.ts";
import type { State } from "../routes/state-view.ts";
import { command } from "./api.ts";
import { amount, counted, duration, joinTexts } from "./format.ts";
import { Action, Card, List } from "./parts.tsx";

type FaultState = State["faults"][number];
type FaultInput = Partial<FaultState> & { readonly on: string };

const presets: Readonly<Record<string, FaultInput>> = {
  "Next submit: 503": { on: "POST /api/v1/tryon", times: 1, status: 503, retry_after: 2 },
  "Next submit: 429": { on: "POST /api/v1/tryon", times: 1, status: 429, retry_after: 2 },
  "Next submit: response lost": { on: "POST /api/v1/tryon", times: 1, reset: "after" },
  "Next poll: 500": { on: "GET /api/v1/tryon/*", times: 1, status: 500 },
  "Next webhook: dropped": { on: "webhook", times: 1, drop: true },
  "Latency: 2 s": { on: "* *", latency_ms: 2_000 },
};

export function Faults({ faults, near_faults: nearFaults }: Requests & State) {
  const clearButton = faults.length > 1 && (
    <Action class="small" run={() => command("faults", {}, "DELETE")}>
      Remove all
    </Action>
  );
  return (
    <Card name="faults" title="Faults" side={clearButton}>
      <div class="presets row wrap">
        {Object.entries(presets).map(([text, fault]) => (
          <Action
            key={text}
            class="small"
            title={`Add: ${effectText(fault)}, on ${fault.on}`}
            run={() => command("faults", fault)}
          >
            {text}
          </Action>
        ))}
      </div>
      <List
        text="No faults."
        rows={faults.map((fault) => (
          <FaultRow
            key={fault.fault_id}
            fault={fault}
            near={nearFaults.find(({ fault_id: id }) => id === fault.fault_id)?.requests ?? []}
          />
        ))}
      />
    </Card>
  );
}

function FaultRow({ fault, near }: { fault: FaultState; near: readonly string[] }) {
  const { fault_id: id, on, matched, applied, times } = fault;
  const isSpent = times !== undefined && applied >= times;
  const counts = `matched ${amount(matched)}, applied ${amount(applied)}`;
  return (
    <div class="fault row">
      <div class={isSpent ? "grow muted" : "grow"}>
        <div class="mono">{on}</div>
        <div>{effectText(fault)}</div>
        <div class="details">
          {joinTexts(" · ", frequencyText(fault), counts, isSpent && "spent")}
        </div>
        {near.length > 0 && <div class="details">Nearest requests: {near.join("; ")}</div>}
      </div>
      <Action class="small" run={() => command(`faults/${encodeURIComponent(id)}`, {}, "DELETE")}>
        Remove
      </Action>
    </div>
  );
}

function effectText(fault: FaultInput): string {
  const { status, retry_after: retryAfter, reset, truncate_at: end, drop } = fault;
  const { cut_after_ms: cutAfter, latency_ms: latency } = fault;
  return joinTexts(
    ", ",
    typeof latency === "number" && `${duration(latency)} late`,
    typeof latency === "object" && "random latency",
    cutAfter !== undefined && `cut off by a proxy after ${duration(cutAfter)}`,
    status !== undefined && `status ${status}`,
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    reset !== undefined && `connection reset ${reset} the work`,
    end !== undefined && `body ends after ${end} bytes`,
    drop === true && "never arrives",
  );
}

function frequencyText({ times, probability, after }: FaultState): string {
  return joinTexts(
    " ",
    times === undefined ? "each time" : times === 1 ? "once" : `${amount(times)} times`,
    after !== undefined && `after ${counted(after, "request")}`,
    probability !== undefined && `with probability ${probability}`,
  );
}
