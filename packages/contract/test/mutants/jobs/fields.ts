import type { Mock } from "@tryon/mock";

import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { images } from "../../../src/images.ts";
import { jobs, submissions } from "../mutated-responses.ts";
import { mutants, type Mutant } from "../mutant.ts";

const day = 86_400_000;
const hour = 3_600_000;
const soon = { result_url: "https://results.example/soon.png" };

const isRunning = ({ status }: Fields): boolean => status === "running";
const isFailed = ({ status }: Fields): boolean => status === "failed";
const notStored = (fields: Fields): boolean => fields["error_message"] === "storage_failed";
const numberOr = (value: unknown, change: (number: number) => number): unknown =>
  typeof value === "number" ? change(value) : value;

/** Mutants with other fields in submissions, polls and the list. */
export const fieldMutants: readonly Mutant[] = [
  ...mutants(submissions, {
    "submit-response.async": [
      "has succeeded before the job runs",
      (_fields, { body }) => (body["wait"] === false ? { status: "succeeded" } : {}),
    ],
    "sync.limit.message": [
      "omits the URL to poll at the limit",
      ({ message }) => ({ message: message ? "Still running." : null }),
    ],
    "submit-response.sync": [
      "omits the balance in a synchronous response",
      ({ status }): Fields => (status === "succeeded" ? { credits_remaining: undefined } : {}),
    ],
    "failure.sync": [
      "omits the error_message of a synchronous failure",
      () => ({ error_message: null }),
    ],
    "submit-response.result-url": [
      "has a result_url before the result",
      (fields) => (isRunning(fields) ? soon : {}),
    ],
    "submit-response.seed": ["reads the seed 0 as none", ({ seed }) => ({ seed: seed || null })],
    "submit-response.metadata": ["omits metadata in the response", () => ({ metadata: null })],
    "submit-response.test-mode.live-key": [
      "has test_mode true for a live key",
      () => ({ test_mode: true }),
    ],
    "submit-response.no-error": [
      "has an empty error_code without an error",
      ({ error_code }) => ({ error_code: error_code ?? "" }),
    ],
    "submit-response.no-message": [
      "has a message in every response",
      ({ message }) => ({ message: message ?? "Thank you: see GET /api/v1/tryon/{job_id}." }),
    ],
    "submit-response.cost-credits": [
      "has the cost of 1K for every size",
      (_fields, { token }) => ({ cost_credits: token.startsWith("svc_test_") ? 0 : 8 }),
    ],
    "submit-response.credits-remaining": [
      "has the balance before the charge",
      (fields) => ({
        credits_remaining: Number(fields["credits_remaining"]) + Number(fields["cost_credits"]),
      }),
    ],
    "failure.sync.no-result": [
      "has a result_url for a synchronous failure",
      (fields) => (isFailed(fields) ? soon : {}),
    ],
    "submit-response.test-mode.test-key": [
      "has test_mode false for a test key",
      () => ({ test_mode: false }),
    ],
  }),
  ...mutants(jobs, {
    "job.result-bytes": [
      "has one byte too many in result_bytes",
      ({ result_bytes }) => ({ result_bytes: numberOr(result_bytes, (bytes) => bytes + 1) }),
    ],
    "job.result-size": [
      "swaps width and height",
      (fields) => ({
        result_width: fields["result_height"],
        result_height: fields["result_width"],
      }),
    ],
    "job.result-content-type": [
      "has the type JPEG for the result",
      (fields) => ({ result_content_type: fields["result_content_type"] && "image/jpeg" }),
    ],
    "job.metadata": ["trims metadata", ({ metadata }) => ({ metadata: trimmed(metadata) })],
    "job.seed": ["omits the seed 0", ({ seed }) => ({ seed: seed || null })],
    "job.no-error": [
      "has an error_code without an error",
      ({ error_code }) => ({ error_code: error_code ?? "none" }),
    ],
    "job.duration-ms": [
      "has the duration 0 for a running job",
      ({ duration_ms }) => ({ duration_ms: duration_ms ?? 0 }),
    ],
    "job.completed-at": [
      "has the time of creation in completed_at",
      (fields) => ({ completed_at: fields["completed_at"] ?? fields["created_at"] }),
    ],
    "job.created-at.form": [
      "writes created_at with milliseconds",
      ({ created_at }) => ({ created_at: String(created_at).replace("Z", ".000Z") }),
    ],
    "job.created-at.when": [
      "has the time of the poll in created_at",
      (_job, mock) => ({
        created_at: new Date(mock.clock.now()).toISOString().replace(/\.\d+/, ""),
      }),
    ],
    "job.result-url.only-on-success": [
      "has a result_url while the job runs",
      (fields) => (isRunning(fields) ? soon : {}),
    ],
    "job.cost-credits": [
      "has twice the cost in a job",
      ({ cost_credits }) => ({ cost_credits: numberOr(cost_credits, (cost) => 2 * cost) }),
    ],
    "failure.no-result": [
      "has a result_url for a failed job",
      (fields) => (isFailed(fields) ? soon : {}),
    ],
    "privacy.inputs": [
      "returns the person of the request",
      () => ({ person_image_b64: images.person }),
    ],
    "failure.content-blocked": [
      "has content_blocked in error_code",
      (fields) =>
        fields["error_message"] === "content_blocked"
          ? { error_code: "content_blocked", error_message: "generation_failed" }
          : {},
    ],
    "failure.error-fields": [
      "omits the error_message of a storage failure",
      (fields) => (notStored(fields) ? { error_message: null } : {}),
    ],
    "failure.running-to-failed": [
      "has succeeded when the storage fails",
      (fields) => (notStored(fields) ? { status: "succeeded" } : {}),
    ],
    "states.terminal.final": [
      "fails a job when its image is deleted",
      (fields, mock) => (ageOf(fields, mock) > 30 * day ? { status: "failed" } : {}),
    ],
    "privacy.results.kept": [
      "deletes results after a week",
      (fields, mock) => (ageOf(fields, mock) > 7 * day ? { result_url: null } : {}),
    ],
  }),
];

/** Mutants of checks that have another mutant above. */
export const moreFieldMutants = mutants(jobs, {
  "job.result-bytes": [
    "has too few bytes in result_bytes of an image over 1K",
    ({ result_width: width, result_bytes: bytes }) =>
      Number(width) > 1_024 ? { result_bytes: Number(bytes) - 1 } : {},
  ],
  "states.terminal.final": [
    "lets a failed job succeed an hour later",
    (fields, mock) =>
      isFailed(fields) && ageOf(fields, mock) > hour
        ? { status: "succeeded", error_code: null, error_message: null }
        : {},
  ],
});

function trimmed(metadata: unknown): unknown {
  if (metadata === null) return null;
  const entries = Object.entries(fieldsOf(metadata)).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(entries);
}

/** Time since the end of a job, in milliseconds. */
function ageOf({ completed_at: completed }: Fields, { clock }: Mock): number {
  return clock.now() - Date.parse(String(completed));
}
