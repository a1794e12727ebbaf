export type { DefaultKeys } from "./default-keys.ts";
export type { Network } from "./delivery/network.ts";
export type { Bytes, Engine, EngineImage, RenderRequest } from "./engine/engine.ts";
export { stockEngine } from "./engine/stock.ts";
export { createMock } from "./mock.ts";
export type { Mock, MockOptions } from "./mock.ts";
export { optionTable, profileNames } from "./options.ts";
export type { OptionId, OptionRow, Options, Profile, ProfileName } from "./options.ts";
export type { ImageKind } from "./service/image-kind.ts";
export type { NewKey } from "./service/new-key.ts";
export type { ImagesSetting, SettingsInput } from "./settings.ts";
export type { NextJob } from "./steering/next-job.ts";
export type { NewTenant, Tenant } from "./steering/tenant.ts";
export type { Snapshot } from "./steering/worlds.ts";
export type {
  DeliveryAttempt,
  DeliveryCause,
  DeliveryRecord,
  KeyRecord,
  LedgerCause,
  LedgerEntry,
} from "./store/records.ts";
export type { Fault, FaultInput, Latency } from "./steering/fault.ts";
export type { MockFaults } from "./steering/faults.ts";
export type { JournalEntry, JournalSubmission } from "./steering/journal-entry.ts";
export type { JournalFilter, MockJournal, WaitForOptions } from "./steering/journal.ts";
export type { Clock, ClockMode, Timer, WorldClock } from "./world/clock.ts";
export type { Duration } from "./world/duration.ts";
