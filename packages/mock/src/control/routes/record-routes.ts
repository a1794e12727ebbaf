import type { Hono } from "hono";

import { json } from "../../http/responses.ts";
import { WaitTimeout, type JournalFilter } from "../journal.ts";
import type { Steered } from "./control-app.ts";
import {
  checked,
  ControlError,
  readFields,
  readQuery,
  refuse,
  wholeNumber,
  type FieldNames,
} from "./input.ts";
import { deliveryView, journalEntryView } from "./views.ts";

const journalQuery = [
  "method",
  "path",
  "api_key",
  "since",
  "wait_for_count",
  "timeout_ms",
] as const;

/** How long a call waits for others, in milliseconds. */
const wait = { usual: 5_000, longest: 600_000 };

/** The most calls that can be waited for, and the latest time that there is. */
const [mostCalls, latest] = [1e6, 8.64e15];

/** What has happened. */
export function addRecordRoutes(app: Hono, mock: Steered): void {
  app.get("/journal", async ({ req }) => {
    const query = readQuery(req.url, journalQuery);
    const { method, path, api_key: apiKey, wait_for_count: count, timeout_ms: timeout } = query;
    const since =
      query.since === undefined ? undefined : wholeNumber("since", query.since, 0, latest);
    if (count === undefined && timeout !== undefined) {
      return refuse("timeout_ms goes with wait_for_count, the number of calls to wait for.");
    }
    const filter: JournalFilter = {
      method: method === "*" ? undefined : method,
      path,
      apiKey,
      since,
    };
    if (count !== undefined) await waitForCalls(mock, filter, count, timeout);
    const entries = await checked({}, () => mock.journal.entries(filter));
    return json({ entries: entries.map(journalEntryView), dropped: mock.journal.dropped });
  });

  app.get("/deliveries", async ({ req }) => {
    const { job_id: jobId } = readQuery(req.url, ["job_id"]);
    const deliveries = await mock.webhooks.deliveries(jobId);
    return json({ deliveries: deliveries.map(deliveryView) });
  });

  for (const repeat of ["replay", "tamper", "duplicate"] as const) {
    app.post(`/deliveries/:id/${repeat}`, async ({ req }) => {
      await readFields(req.raw, {});
      const names: FieldNames = { delivery_id: "deliveryId" };
      const again = () => mock.webhooks[repeat](req.param("id"));
      return json(deliveryView(await checked(names, again, 404)));
    });
  }

  app.get("/options", () => json({ options: mock.options }));
}

/** @throws ControlRefusal 408, with what came instead, when not enough of them have come in time. */
async function waitForCalls(
  mock: Steered,
  { method = "*", path = "*", apiKey, since }: JournalFilter,
  count: string,
  timeout: string | undefined,
): Promise<void> {
  const options = {
    apiKey,
    since,
    count: wholeNumber("wait_for_count", count, 1, mostCalls),
    timeout:
      timeout === undefined ? wait.usual : wholeNumber("timeout_ms", timeout, 0, wait.longest),
  };
  try {
    await checked({}, () => mock.journal.waitFor(`${method} ${path}`, options));
  } catch (error) {
    if (error instanceof WaitTimeout) throw new ControlError(408, error.message);
    throw error;
  }
}
