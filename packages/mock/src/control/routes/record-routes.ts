import type { Hono } from "hono";

import { json } from "../../http/responses.ts";
import { ServiceError } from "../../service/service-error.ts";
import {
  badRequest,
  readFields,
  readQuery,
  wholeNumber,
  withFieldNames,
  type ControlledMock,
} from "./input.ts";
import { deliveryView, journalEntryView, ledgerEntryView } from "./views.ts";

const journalQuery = [
  "method",
  "path",
  "api_key",
  "since",
  "wait_for_count",
  "timeout_ms",
] as const;

const journalNames = {
  api_key: "apiKey",
  wait_for_count: "count",
  timeout_ms: "timeout",
};

const timeouts = { default: "5000", max: 600_000 };

const limits = { count: 1e6, time: 8.64e15 };

export function addRecordRoutes(app: Hono, mock: ControlledMock): void {
  app.get("/journal", async ({ req }) => {
    const query = readQuery(req.url, journalQuery);
    const { method = "*", path, api_key: apiKey, wait_for_count: count, timeout_ms } = query;
    const since =
      query.since === undefined ? undefined : wholeNumber("since", query.since, 0, limits.time);
    if (count !== undefined) {
      const options = {
        apiKey,
        since,
        count: wholeNumber("wait_for_count", count, 1, limits.count),
        timeout: wholeNumber("timeout_ms", timeout_ms ?? timeouts.default, 0, timeouts.max),
      };
      await withFieldNames(journalNames, () =>
        mock.journal.waitFor(`${method} ${path ?? "*"}`, options),
      );
    } else if (timeout_ms !== undefined) {
      return badRequest("timeout_ms requires wait_for_count, the number of requests to wait for.");
    }
    const filter = { method: method === "*" ? undefined : method, path, apiKey, since };
    const entries = await withFieldNames(journalNames, () => mock.journal.entries(filter));
    return json({ entries: entries.map(journalEntryView), dropped: mock.journal.dropped });
  });

  app.get("/ledger", async ({ req }) => {
    const { api_key: key } = readQuery(req.url, ["api_key"]);
    if (key === undefined) return badRequest("api_key is missing; send the key as ?api_key=….");
    const ledger = await mock.ledger(key);
    if (ledger === undefined) throw new ServiceError("not-found", "api_key: unknown key.");
    return json({ entries: ledger.entries.map(ledgerEntryView), balance: ledger.balance });
  });

  app.get("/deliveries", async ({ req }) => {
    const { job_id: jobId } = readQuery(req.url, ["job_id"]);
    const deliveries = await mock.webhooks.deliveries(jobId);
    return json({ deliveries: deliveries.map(deliveryView) });
  });

  for (const repeat of ["replay", "tamper", "duplicate"] as const) {
    app.post(`/deliveries/:id/${repeat}`, async ({ req }) => {
      await readFields(req.raw, {});
      const names = { delivery_id: "deliveryId" };
      const send = () => mock.webhooks[repeat](req.param("id"));
      return json(deliveryView(await withFieldNames(names, send, "not-found")));
    });
  }

  app.get("/options", () => json({ options: mock.options }));
}
