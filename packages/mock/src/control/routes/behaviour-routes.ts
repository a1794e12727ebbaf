import type { Hono } from "hono";

import { json } from "../../http/responses.ts";
import type { FaultInput } from "../fault.ts";
import type { NextJob } from "../next-job.ts";
import type { Steered } from "./control-app.ts";
import { checked, ControlError, readFields, wholeNumber, type FieldNames } from "./input.ts";
import { faultView } from "./views.ts";

const faultFields: FieldNames = {
  on: "on",
  times: "times",
  probability: "probability",
  after: "after",
  status: "status",
  headers: "headers",
  body: "body",
  html: "html",
  retry_after: "retryAfter",
  latency_ms: "latency",
  reset: "reset",
  truncate_at: "truncateAt",
  cut_after_ms: "cutAfter",
  drop: "drop",
};

const nextJobFields: FieldNames = {
  outcome: "outcome",
  error_message: "errorMessage",
  duration_ms: "durationMs",
  api_key: "apiKey",
};

const longestTime = 1e12;

/** What is to go wrong, and how jobs are to end. */
export function addBehaviourRoutes(app: Hono, mock: Steered): void {
  app.post("/faults", async ({ req }) => {
    const fields = await readFields(req.raw, faultFields);
    const { latency, cutAfter } = fields;
    // Over HTTP a time is a number; texts such as "2s" are for callers in process.
    if (latency !== undefined && (typeof latency !== "object" || latency === null)) {
      wholeNumber("latency_ms", latency, 0, longestTime);
    }
    if (cutAfter !== undefined) wholeNumber("cut_after_ms", cutAfter, 0, longestTime);
    // Whatever the fields hold, adding a fault looks at each.
    const input = fields as unknown as FaultInput;
    const { id } = await checked(faultFields, () => mock.faults.add(input));
    return json({ fault_id: id });
  });

  app.get("/faults", () => json({ faults: mock.faults.list().map(faultView) }));

  app.delete("/faults", () => {
    mock.faults.clear();
    return json({});
  });

  app.delete("/faults/:id", ({ req }) => {
    const id = req.param("id");
    if (mock.faults.remove(id)) return json({});
    throw new ControlError(404, `There is no fault ${JSON.stringify(id)}.`);
  });

  app.post("/next-job", async ({ req }) => {
    const fields = await readFields(req.raw, nextJobFields);
    // As above: nextJob looks at each.
    await checked(nextJobFields, () => mock.nextJob(fields as NextJob));
    return json({});
  });
}
