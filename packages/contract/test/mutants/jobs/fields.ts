import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { images } from "../../../src/images.ts";
import { jobMutant, submitMutant } from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

const job = "Resources and their fields / TryOnJobStatus";
const response = "Resources and their fields / TryOnSubmitResponse";
const submit = "Endpoints / POST /api/v1/tryon";
const errors = "Errors";
const states = "States and transitions";
const day = 86_400_000;
const soon = { result_url: "https://results.example/soon.png" };

const isRunning = ({ status }: Fields): boolean => status === "running";
const isFailed = ({ status }: Fields): boolean => status === "failed";
const notStored = (fields: Fields): boolean => fields["error_message"] === "storage_failed";
const numberOr = (value: unknown, change: (number: number) => number): unknown =>
  typeof value === "number" ? change(value) : value;

/** Mutants with other fields in responses to submissions. */
const submissionFieldMutants: readonly Mutant[] = [
  submitMutant(
    states,
    "has succeeded before the job runs",
    "submit-response.async",
    (_fields, { body }) => (body["wait"] === false ? { status: "succeeded" } : {}),
  ),
  submitMutant(
    submit,
    "omits the balance in a synchronous response",
    "submit-response.sync",
    ({ status }) => (status === "succeeded" ? { credits_remaining: undefined } : {}),
  ),
  submitMutant(
    response,
    "has a result_url before the result",
    "submit-response.result-url",
    (fields) => (isRunning(fields) ? soon : {}),
  ),
  submitMutant(response, "reads the seed 0 as none", "submit-response.seed", ({ seed }) => ({
    seed: seed || null,
  })),
  submitMutant(response, "omits metadata in the response", "submit-response.metadata", () => ({
    metadata: null,
  })),
  submitMutant(
    "Authentication",
    "has test_mode false for a test key",
    "submit-response.test-mode.test-key",
    () => ({
      test_mode: false,
    }),
  ),
  submitMutant(
    response,
    "has test_mode true for a live key",
    "submit-response.test-mode.live-key",
    () => ({
      test_mode: true,
    }),
  ),
  submitMutant(
    response,
    "has an empty error_code without an error",
    "submit-response.no-error",
    ({ error_code }) => ({
      error_code: error_code ?? "",
    }),
  ),
  submitMutant(
    response,
    "has a message in every response",
    "submit-response.no-message",
    ({ message }) => ({
      message: message ?? "Thank you: see GET /api/v1/tryon/{job_id}.",
    }),
  ),
  submitMutant(
    response,
    "has the cost of 1K for every size",
    "submit-response.cost-credits",
    (_fields, { token }) => ({
      cost_credits: token.startsWith("svc_test_") ? 0 : 8,
    }),
  ),
  submitMutant(
    response,
    "has the balance before the charge",
    "submit-response.credits-remaining",
    (fields) => ({
      credits_remaining: Number(fields["credits_remaining"]) + Number(fields["cost_credits"]),
    }),
  ),
  submitMutant(submit, "omits the error_message of a synchronous failure", "failure.sync", () => ({
    error_message: null,
  })),
  submitMutant(
    response,
    "has a result_url for a synchronous failure",
    "failure.sync.no-result",
    (fields) => (isFailed(fields) ? soon : {}),
  ),
  submitMutant(
    states,
    "omits the URL to poll at the limit",
    "sync.limit.message",
    ({ message }) => ({
      message: message ? "Still running." : null,
    }),
  ),
];

/** Mutants with other fields in polls and in the list. */
const jobFieldMutants: readonly Mutant[] = [
  jobMutant(
    job,
    "has one byte too many in result_bytes",
    "job.result-bytes",
    ({ result_bytes }) => ({
      result_bytes: numberOr(result_bytes, (bytes) => bytes + 1),
    }),
  ),
  jobMutant(job, "swaps width and height", "job.result-size", (fields) => ({
    result_width: fields["result_height"],
    result_height: fields["result_width"],
  })),
  jobMutant(job, "has the type JPEG for the result", "job.result-content-type", (fields) => ({
    result_content_type: fields["result_content_type"] && "image/jpeg",
  })),
  jobMutant(job, "trims metadata", "job.metadata", ({ metadata }) => ({
    metadata: trimmed(metadata),
  })),
  jobMutant(job, "omits the seed 0", "job.seed", ({ seed }) => ({ seed: seed || null })),
  jobMutant(job, "has an error_code without an error", "job.no-error", ({ error_code }) => ({
    error_code: error_code ?? "none",
  })),
  jobMutant(job, "has the duration 0 for a running job", "job.duration-ms", ({ duration_ms }) => ({
    duration_ms: duration_ms ?? 0,
  })),
  jobMutant(job, "has the time of creation in completed_at", "job.completed-at", (fields) => ({
    completed_at: fields["completed_at"] ?? fields["created_at"],
  })),
  jobMutant(
    job,
    "writes created_at with milliseconds",
    "job.created-at.form",
    ({ created_at }) => ({
      created_at: String(created_at).replace("Z", ".000Z"),
    }),
  ),
  jobMutant(job, "has the time of the poll in created_at", "job.created-at.when", (_job, mock) => ({
    created_at: new Date(mock.clock.now()).toISOString().replace(/\.\d+/, ""),
  })),
  jobMutant(
    job,
    "has a result_url while the job runs",
    "job.result-url.only-on-success",
    (fields) => (isRunning(fields) ? soon : {}),
  ),
  jobMutant(job, "has twice the cost in a job", "job.cost-credits", ({ cost_credits }) => ({
    cost_credits: numberOr(cost_credits, (cost) => 2 * cost),
  })),
  jobMutant("What the service does", "returns the person of the request", "privacy.inputs", () => ({
    person_image_b64: images.person,
  })),
  jobMutant(job, "has a result_url for a failed job", "failure.no-result", (fields) =>
    isFailed(fields) ? soon : {},
  ),
  jobMutant(errors, "has content_blocked in error_code", "failure.content-blocked", (fields) =>
    fields["error_message"] === "content_blocked"
      ? { error_code: "content_blocked", error_message: "generation_failed" }
      : {},
  ),
  jobMutant(
    errors,
    "omits the error_message of a storage failure",
    "failure.error-fields",
    (fields) => (notStored(fields) ? { error_message: null } : {}),
  ),
  jobMutant(states, "has succeeded when the storage fails", "failure.running-to-failed", (fields) =>
    notStored(fields) ? { status: "succeeded" } : {},
  ),
  jobMutant(
    states,
    "fails a job when its image is deleted",
    "states.terminal.final",
    (fields, mock) => {
      const age = mock.clock.now() - Date.parse(String(fields["completed_at"]));
      return age > 30 * day ? { status: "failed" } : {};
    },
  ),
];

/** Mutants with other fields in submissions, polls and the list. */
export const fieldMutants: readonly Mutant[] = [...submissionFieldMutants, ...jobFieldMutants];

function trimmed(metadata: unknown): unknown {
  if (metadata === null) return null;
  const entries = Object.entries(fieldsOf(metadata)).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(entries);
}
