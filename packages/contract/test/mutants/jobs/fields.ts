import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { images } from "../../../src/images.ts";
import { jobs, patched, type Upstream } from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const day = 86_400_000;
const hour = 3_600_000;
const soon = { result_url: "https://results.example/soon.png" };
const running = { status: "running" };
const failed = { status: "failed" };
const notStored = { error_message: "storage_failed" };

const numberOr = (value: unknown, change: (number: number) => number): unknown =>
  typeof value === "number" ? change(value) : value;

export const fieldMutants = mutants({
  "failure.error-fields: omits the error_message of a storage failure": jobs(notStored, {
    error_message: null,
  }),
  "submit-response.async: has succeeded before the job runs": patched(
    "submit",
    (_fields, { body }) => (body["wait"] === false ? { status: "succeeded" } : undefined),
  ),
  "sync.limit.message: omits the URL to poll at the limit": patched("submit", ({ message }) => ({
    message: message ? "Still running." : null,
  })),
  "submit-response.sync: omits the balance in a synchronous response": patched(
    "submit",
    { status: "succeeded" },
    { credits_remaining: undefined },
  ),
  "failure.sync: omits the error_message of a synchronous failure": patched("submit", {
    error_message: null,
  }),
  "submit-response.result-url: has a result_url before the result": patched(
    "submit",
    running,
    soon,
  ),
  "submit-response.seed: reads the seed 0 as none": patched("submit", { seed: 0 }, { seed: null }),
  "submit-response.metadata: omits metadata in the response": patched("submit", { metadata: null }),
  "submit-response.test-mode.live-key: has test_mode true for a live key": patched("submit", {
    test_mode: true,
  }),
  "submit-response.no-error: has an empty error_code without an error": patched(
    "submit",
    { error_code: null },
    { error_code: "" },
  ),
  "submit-response.no-message: has a message in every response": patched(
    "submit",
    { message: null },
    { message: "Thank you: see GET /api/v1/tryon/{job_id}." },
  ),
  "submit-response.cost-credits: has the cost of 1K for every size": patched(
    "submit",
    (_fields, { token }) => ({ cost_credits: token.startsWith("svc_test_") ? 0 : 8 }),
  ),
  "submit-response.credits-remaining: has the balance before the charge": patched(
    "submit",
    (fields) => ({
      credits_remaining: Number(fields["credits_remaining"]) + Number(fields["cost_credits"]),
    }),
  ),
  "failure.sync.no-result: has a result_url for a synchronous failure": patched(
    "submit",
    failed,
    soon,
  ),
  "submit-response.test-mode.test-key: has test_mode false for a test key": patched("submit", {
    test_mode: false,
  }),
  "job.result-bytes: has one byte too many in result_bytes": jobs(({ result_bytes }) => ({
    result_bytes: numberOr(result_bytes, (bytes) => bytes + 1),
  })),
  "job.result-size: swaps width and height": jobs(({ result_width, result_height }) => ({
    result_width: result_height,
    result_height: result_width,
  })),
  "job.result-content-type: has the type JPEG for the result": jobs(
    { result_content_type: "image/png" },
    { result_content_type: "image/jpeg" },
  ),
  "job.metadata: trims metadata": jobs(({ metadata }) => ({ metadata: trimmed(metadata) })),
  "job.seed: omits the seed 0": jobs({ seed: 0 }, { seed: null }),
  "job.no-error: has an error_code without an error": jobs(
    { error_code: null },
    { error_code: "none" },
  ),
  "job.duration-ms: has the duration 0 for a running job": jobs(
    { duration_ms: null },
    { duration_ms: 0 },
  ),
  "job.completed-at: has the time of creation in completed_at": jobs((fields) => ({
    completed_at: fields["completed_at"] ?? fields["created_at"],
  })),
  "job.created-at.form: writes created_at with milliseconds": jobs(({ created_at }) => ({
    created_at: String(created_at).replace("Z", ".000Z"),
  })),
  "job.created-at.when: has the time of the poll in created_at": jobs(
    (_job, _request, { mock }) => ({
      created_at: new Date(mock.clock.now()).toISOString().replace(/\.\d+/, ""),
    }),
  ),
  "job.result-url.only-on-success: has a result_url while the job runs": jobs(running, soon),
  "job.cost-credits: has twice the cost in a job": jobs(({ cost_credits }) => ({
    cost_credits: numberOr(cost_credits, (cost) => 2 * cost),
  })),
  "failure.no-result: has a result_url for a failed job": jobs(failed, soon),
  "privacy.inputs: returns the person of the request": jobs({ person_image_b64: images.person }),
  "failure.content-blocked: has content_blocked in error_code": jobs(
    { error_message: "content_blocked" },
    { error_code: "content_blocked", error_message: "generation_failed" },
  ),
  "failure.running-to-failed: has succeeded when the storage fails": jobs(notStored, {
    status: "succeeded",
  }),
  "states.terminal.final: fails a job when its image is deleted": jobs(after(30 * day, failed)),
  "privacy.results.kept: deletes results after a week": jobs(after(7 * day, { result_url: null })),
  "job.result-bytes: has too few bytes in result_bytes of an image over 1K": jobs(
    ({ result_width: width, result_bytes: bytes }) =>
      Number(width) > 1_024 ? { result_bytes: Number(bytes) - 1 } : undefined,
  ),
  "states.terminal.final: lets a failed job succeed an hour later": jobs(
    after(hour, { status: "succeeded", error_code: null, error_message: null }, "failed"),
  ),
});

function trimmed(metadata: unknown): unknown {
  if (metadata === null) return null;
  const entries = Object.entries(fieldsOf(metadata)).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(entries);
}

function after(age: number, set: Fields, status?: string) {
  return (job: Fields, _request: unknown, { mock }: Upstream): Fields | undefined =>
    mock.clock.now() - Date.parse(String(job["completed_at"])) > age &&
    (status ?? job["status"]) === job["status"]
      ? set
      : undefined;
}
