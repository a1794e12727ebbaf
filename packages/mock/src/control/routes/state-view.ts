import { optionTable, type Options } from "../../options.ts";
import type { JobStatus } from "../../store/records.ts";
import type { Fault } from "../fault.ts";
import { maskKey } from "../masking.ts";
import type { MockJournal } from "../journal.ts";
import type { ServerState } from "../server-states.ts";
import { RecordViews } from "./record-views.ts";
import type { OptionState, State } from "./state.ts";
import { Times } from "./times.ts";
import { faultView } from "./views.ts";

/** How much of each thing the page shows. */
const bounds = { jobs: 100, deliveries: 50 } as const;

/** What the view is made of besides the epoch. */
export interface StateParts {
  readonly mock: {
    readonly clock: { readonly mode: State["clock"] };
    readonly options: Options;
    readonly keys: object;
    readonly faults: { list(): readonly Fault[] };
    readonly journal: Pick<MockJournal, "entries">;
  };
  readonly epoch: ServerState;
  readonly epochNumber: number;
}

/** What the page asked for. */
export interface StateQuery {
  readonly status?: JobStatus | undefined;
  readonly jobId?: string | undefined;
}

/** Reads everything that the page shows, as it is at one moment. */
export function stateView(parts: StateParts, query: StateQuery): State {
  const { mock, epoch } = parts;
  const { store, service } = epoch;
  const times = new Times(epoch);
  return store.transact((transaction) => {
    const view = new RecordViews(transaction, times, service);
    const { status, jobId } = query;
    const jobs = transaction.latestJobs({ limit: bounds.jobs, ...(status && { status }) });
    const { deliveries, total } = transaction.latestDeliveries(bounds.deliveries);
    const chosen = jobId === undefined ? undefined : transaction.job(jobId);
    return {
      now: service.now(),
      clock: mock.clock.mode,
      next: times.next,
      epoch: parts.epochNumber,
      jobs: { counts: transaction.jobCounts(), latest: jobs.map(view.job) },
      chosen: chosen === undefined ? null : view.chosen(chosen, mock.journal),
      deliveries: { total, latest: deliveries.map(view.delivery) },
      keys: view.keys(Object.values(mock.keys)),
      next_jobs: service.nextJobs.state.map(({ outcome, apiKey }) => ({
        outcome: outcome.ending,
        error_message: outcome.errorMessage,
        duration_ms: outcome.durationMs,
        api_key: apiKey === null ? null : maskKey(apiKey),
      })),
      faults: mock.faults.list().map(faultView),
      options: changedOptions(mock.options),
    };
  });
}

function changedOptions(options: Options): readonly OptionState[] {
  return optionTable.flatMap(({ id, summary, values }) =>
    options[id] === values[0] ? [] : [{ id, summary, value: options[id], default: values[0] }],
  );
}
