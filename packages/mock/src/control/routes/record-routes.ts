import { json } from "../../http/responses.ts";
import type { Router } from "../../http/router.ts";
import { badRequest, ServiceError } from "../../service/service-error.ts";
import { addPost, readQuery, wholeNumber, withFieldNames, type ControlledMock } from "./input.ts";
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

export function addRecordRoutes(router: Router, mock: ControlledMock): void {
  router.add("GET", "/__mock/journal", async (request) => {
    const query = readQuery(request, journalQuery);
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

  router.add("GET", "/__mock/ledger", async (request) => {
    const { api_key: key } = readQuery(request, ["api_key"]);
    if (key === undefined) return badRequest("api_key is missing; send the key as ?api_key=….");
    const ledger = await mock.ledger(key);
    if (ledger === undefined) throw new ServiceError("not-found", "api_key: unknown key.");
    return json({ entries: ledger.entries.map(ledgerEntryView), balance: ledger.balance });
  });

  router.add("GET", "/__mock/deliveries", async (request) => {
    const { job_id: jobId } = readQuery(request, ["job_id"]);
    const deliveries = await mock.webhooks.deliveries(jobId);
    return json({ deliveries: deliveries.map(deliveryView) });
  });

  for (const repeat of ["replay", "tamper", "duplicate"] as const) {
    addPost(router, `deliveries/:id/${repeat}`, {}, async (_fields, id) =>
      deliveryView(await mock.webhooks[repeat](id)),
    );
  }

  router.add("GET", "/__mock/options", () => json({ options: mock.options }));
}
