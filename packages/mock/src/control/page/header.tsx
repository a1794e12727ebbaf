import { useState } from "preact/hooks";

import { command } from "./api.ts";
import { timeOfDay } from "./format.ts";
import { page } from "./page-model.ts";
import { Action } from "./parts.tsx";

/** Milliseconds for the second click on Reset. */
const confirmTimeout = 4_000;

/** Number of snapshots that the page can restore. */
const maxSnapshots = 3;

/** Host and connection of the server, and buttons for snapshots and reset. */
export function Header() {
  const { pollError } = page;
  const connection = page.state === undefined ? "Connecting" : "Live";
  return (
    <header>
      <div class="bar">
        <h1>
          <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M8.5 3 3 6l2 5 2-1v11h10V10l2 1 2-5-5.5-3a3.5 3.5 0 0 1-7 0z" />
          </svg>
          Try-on mock
        </h1>
        <span class="host mono">{location.host}</span>
        <span class={pollError === undefined ? "live" : "live offline"}>
          {pollError === undefined ? connection : "No response"}
        </span>
        <div class="grow" />
        <Snapshots />
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

function Snapshots() {
  const [snapshots, setSnapshots] = useState<readonly { id: string; at: number }[]>([]);
  const take = async (): Promise<string> => {
    const id = String((await command("snapshot"))["snapshot_id"]);
    const taken = { id, at: page.state?.now ?? 0 };
    setSnapshots((earlier) => [...earlier, taken].slice(-maxSnapshots));
    return `Took ${id}.`;
  };
  return (
    <div class="snapshots">
      <Action title="Save the whole state of the server" run={take}>
        Snapshot
      </Action>
      {snapshots.map(({ id, at }) => (
        <Action key={id} title={`Taken at ${timeOfDay(at)}`} run={() => restore(id)}>
          Restore {id}
        </Action>
      ))}
      <ResetButton />
    </div>
  );
}

async function restore(id: string): Promise<string> {
  await command("restore", { snapshot_id: id });
  return `Restored ${id}.`;
}

function ResetButton() {
  const [isArmed, setIsArmed] = useState(false);
  const click = (): void => {
    setIsArmed(!isArmed);
    if (!isArmed) {
      setTimeout(() => setIsArmed(false), confirmTimeout);
      return;
    }
    void page.run(async () => {
      await command("reset");
      return "The server is back in its initial state.";
    });
  };
  return (
    <button
      type="button"
      class={isArmed ? "danger armed" : "danger"}
      title="Delete all jobs, deliveries, faults and added keys"
      onClick={click}
      onBlur={() => setIsArmed(false)}
    >
      {isArmed ? "Click again to reset" : "Reset"}
    </button>
  );
}
