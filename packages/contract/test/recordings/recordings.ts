import { join } from "node:path";

import { createMock, type Options } from "@tryon/mock";
import { expect } from "vitest";

import { importRecording } from "../../src/import/import-recording.ts";
import { readRecording } from "../../src/import/read-recording.ts";
import { observe, sessionOf } from "../traffic.ts";

/** Options of the reference server of the recordings: an import shows that they are not the usual ones. */
export const recordedOptions = {
  sparseSubmit: true,
  inventSeed: true,
  timeFormat: "offset",
  resultsOrigin: "other",
  replayHeader: false,
  unknownCursor: 422,
  limitBounds: "clamp",
  discoveryKey: true,
  malformedBody: 400,
} as const satisfies Partial<Options>;

/** Path of a checked-in recording. `recordings.nightly.test.ts` makes them again. */
export function recordingPath(file: string): string {
  return join(import.meta.dirname, "made", file);
}

interface RecordingRow {
  readonly file: string;
  readonly format: string;
  /** Options that requests of the scenario show, but not in this recording. */
  readonly hidden?: readonly (keyof Options)[];
  /** Number of exchanges, if it differs. */
  readonly exchanges: number;
  /** If true, the recording lacks the submission that was aborted. */
  readonly lacksAborted?: boolean;
  readonly withoutBody?: number;
  readonly hasKeys?: boolean;
  /** If true, only the nightly test has the recording. */
  readonly isNightly?: boolean;
}

const inPage = "HAR of Playwright";
const untimed = { hidden: ["readLag"] } as const;
const shortened = { lacksAborted: true } as const;

/** The recordings, each made by its tool. In a page, the scenario has polled 4 times. */
export const recordings: readonly RecordingRow[] = [
  { file: "devtools.har", format: "HAR of DevTools", exchanges: 19 },
  {
    file: "devtools-sanitized.har",
    format: "HAR of DevTools",
    exchanges: 19,
    hidden: ["discoveryKey"],
    hasKeys: false,
    isNightly: true,
  },
  { file: "firefox.har", format: "HAR of Firefox", exchanges: 18 },
  { file: "mitmproxy.har", format: "HAR of mitmproxy", exchanges: 17, ...shortened },
  { file: "playwright-embed.har", format: inPage, exchanges: 19 },
  { file: "playwright-attach/recording.har", format: inPage, exchanges: 19 },
  { file: "playwright-zip.zip", format: inPage, exchanges: 19 },
  { file: "playwright-omit.har", format: inPage, exchanges: 19, withoutBody: 18 },
  { file: "playwright-minimal.har", format: inPage, exchanges: 19, ...untimed, isNightly: true },
  {
    file: "polly-fetch.har",
    format: "Polly recording",
    exchanges: 17,
    ...shortened,
    isNightly: true,
  },
  {
    file: "polly-http.har",
    format: "Polly recording",
    exchanges: 16,
    hidden: ["malformedBody"],
    ...shortened,
  },
  {
    file: "nock-fetch.json",
    format: "nock recording",
    exchanges: 17,
    ...shortened,
    ...untimed,
    isNightly: true,
  },
  { file: "nock-http.json", format: "nock recording", exchanges: 17, ...shortened, ...untimed },
  { file: "newman.json", format: "newman report", exchanges: 18, ...untimed },
];

/** Returns the values of the options that a recording shows. */
function shownOptions({ hidden = [], withoutBody = 0 }: RecordingRow) {
  if (withoutBody > 0) return {};
  const { options } = createMock({ options: recordedOptions });
  const { fieldStatus, rateHeaders, resetUnit, retryAfterFormat, readLag } = options;
  const all = {
    ...recordedOptions,
    fieldStatus,
    rateHeaders,
    resetUnit,
    retryAfterFormat,
    readLag,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([id]) => !hidden.some((one) => one === id)),
  );
}

/** Imports a recording, and expects the requests of the scenario and the values of the server. Returns its name. */
export function checked(path: string, row: RecordingRow): string {
  const recording = readRecording(path);
  const { exchanges, ...session } = importRecording(recording, {});
  expect(recording.format).toBe(row.format);
  expect(session).toMatchObject({
    origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    unanswered: row.lacksAborted === true ? 0 : 1,
    withoutBody: row.withoutBody ?? 0,
    hasKeys: row.hasKeys ?? true,
  });
  // A page polls as often as its time allows.
  expect(exchanges.length).toBeGreaterThanOrEqual(row.exchanges - 2);
  const { shown, contradicting, breaks, unknown } = observe(sessionOf(exchanges));
  expect(shown).toEqual(shownOptions(row));
  expect([contradicting, breaks, unknown]).toEqual([[], [], []]);
  if (row.lacksAborted === true) return row.file;
  const aborted = exchanges.filter(({ response }) => response === undefined);
  expect(aborted).toMatchObject([{ method: "POST", error: expect.stringMatching(/.+/) }]);
  expect(aborted[0]?.request.headers["idempotency-key"]).toMatch(/^key-/);
  return row.file;
}
