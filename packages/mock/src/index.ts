export type { DefaultKeys } from "./default-keys.ts";
export type { Network } from "./delivery/network.ts";
export type { Bytes, Engine, EngineImage, ImageKind, RenderRequest } from "./engine/engine.ts";
export { stockEngine } from "./engine/stock.ts";
export { createMock, type Mock, type MockOptions } from "./mock.ts";
export { optionTable, profileNames } from "./options.ts";
export type { OptionId, OptionRow, Options, Profile, ProfileName } from "./options.ts";
export type { NewKey } from "./service/new-key.ts";
export type { ImagesSetting, JobLatency, LatencyPercentiles, SettingsInput } from "./settings.ts";
export type { NextJob } from "./control/next-job.ts";
export type { NewTenant, Tenant } from "./control/tenant.ts";
export type { Snapshot } from "./control/server-states.ts";
export type {
  DeliveryAttempt,
  DeliveryCause,
  DeliveryRecord,
  KeyRecord,
  LedgerCause,
  LedgerEntry,
} from "./store/records.ts";
export type { MockStore, SavedRecord } from "./store/state-log.ts";
export type { Fault, FaultInput, Latency } from "./control/fault.ts";
export type { GatewayName } from "./control/gateways.ts";
export type { MockFaults } from "./control/faults.ts";
export type { JournalEntry, JournalSubmission, Refusal } from "./control/journal-entry.ts";
export type { JournalFilter, MockJournal, WaitForOptions } from "./control/journal.ts";
export type { ClockMode, SystemClock } from "./system/clock.ts";
export type { Duration } from "./system/duration.ts";
export type { Clock, Timer } from "./system/timers.ts";
