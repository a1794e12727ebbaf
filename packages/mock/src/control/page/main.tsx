import { render } from "preact";

import { Deliveries } from "./deliveries.tsx";
import { Faults } from "./faults.tsx";
import { Clock, Header } from "./header.tsx";
import { Jobs } from "./jobs.tsx";
import { Keys } from "./keys.tsx";
import { page } from "./page-model.ts";
import { Empty } from "./parts.tsx";
import { RequestList } from "./requests.tsx";
import { NextJob, Submit } from "./submit.tsx";

function App() {
  const { state, requests, pollError, notice } = page;
  return (
    <>
      <Header />
      <main class={pollError === undefined ? "" : "stale"}>
        {state === undefined || requests === undefined ? (
          <Empty text="Connecting to the server…" />
        ) : (
          <>
            <Clock {...state} />
            <div class="columns">
              <div class="column">
                <Jobs {...state} />
                <RequestList {...requests} {...state} />
                <Deliveries {...state} />
              </div>
              <div class="column">
                <Submit {...state} />
                <NextJob {...state} />
                <Faults {...requests} {...state} />
                <Keys {...state} />
              </div>
            </div>
          </>
        )}
      </main>
      {notice && (
        <div
          class={`notice row apart ${notice.kind}`}
          role={notice.kind === "failed" ? "alert" : "status"}
        >
          <span>{notice.text}</span>
          <button type="button" class="close" aria-label="Dismiss" onClick={() => page.show()}>
            ×
          </button>
        </div>
      )}
    </>
  );
}

const root = document.getElementById("page");
page.onChange = () => root && render(<App />, root);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void page.poll();
});
page.onChange();
void page.poll();
