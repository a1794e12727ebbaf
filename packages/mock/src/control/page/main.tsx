import { render } from "preact";

import { Clock } from "./clock.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Faults } from "./faults.tsx";
import { Header } from "./header.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { Jobs } from "./jobs.tsx";
import { Keys, Options } from "./keys.tsx";
import { page } from "./page-model.ts";
import { Empty } from "./parts.tsx";
import { NextJob, Submit } from "./submit.tsx";

function App() {
  return (
    <>
      <Header />
      <Main />
      {/* Users reach only what is in an open dialog, so the notices are in it too. */}
      <JobDialog>{page.jobId !== "" && <Notices />}</JobDialog>
      {page.jobId === "" && <Notices />}
    </>
  );
}

function Main() {
  const { state, pollError } = page;
  if (state === undefined) {
    return (
      <main>
        <Empty text="Connecting to the server…" />
      </main>
    );
  }
  return (
    <main class={pollError === undefined ? "" : "stale"}>
      <Clock state={state} />
      <div class="columns">
        <div class="column">
          <Jobs state={state} />
          <Deliveries {...state} />
        </div>
        <div class="column sidebar">
          <Submit {...state} />
          <NextJob {...state} />
          <Faults {...state} />
          <Keys {...state} />
          <Options {...state} />
        </div>
      </div>
    </main>
  );
}

function Notices() {
  return (
    <div id="notices">
      {page.notices.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`} role={kind === "failed" ? "alert" : "status"}>
          <span>{text}</span>
          <button type="button" class="close" aria-label="Dismiss" onClick={() => page.dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

const root = document.getElementById("page");
const selectJob = (): void => page.select({ jobId: location.hash.slice(1) });
page.onChange = () => root && render(<App />, root);
addEventListener("hashchange", selectJob);
addEventListener("popstate", selectJob);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void page.poll();
});
selectJob();
