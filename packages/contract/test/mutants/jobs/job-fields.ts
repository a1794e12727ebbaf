import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { images } from "../../../src/images.ts";
import { jobs } from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

const section = "Resources and their fields / TryOnJobStatus";
const states = "States and transitions";
const day = 86_400_000;

const running = (job: Fields): boolean => job["status"] === "running";
const failed = (job: Fields): boolean => job["status"] === "failed";
const numberOr = (value: unknown, change: (number: number) => number): unknown =>
  typeof value === "number" ? change(value) : value;

/** Deviations in how jobs are shown. */
export const jobFieldMutants: readonly Mutant[] = [
  {
    name: "counts one byte too many",
    section,
    expected: ["job.result-bytes"],
    plant: jobs((job) => ({ ...job, result_bytes: numberOr(job["result_bytes"], (n) => n + 1) })),
  },
  {
    name: "takes width for height",
    section,
    expected: ["job.result-size"],
    plant: jobs((job) => ({
      ...job,
      result_width: job["result_height"],
      result_height: job["result_width"],
    })),
  },
  {
    name: "calls the result a JPEG",
    section,
    expected: ["job.result-content-type"],
    plant: jobs((job) => ({
      ...job,
      result_content_type: job["result_content_type"] && "image/jpeg",
    })),
  },
  {
    name: "trims metadata",
    section,
    expected: ["job.metadata"],
    plant: jobs((job) => ({ ...job, metadata: trimmed(job["metadata"]) })),
  },
  {
    name: "forgets the seed 0",
    section,
    expected: ["job.seed"],
    plant: jobs((job) => ({ ...job, seed: job["seed"] || null })),
  },
  {
    name: "has an error_code while nothing is wrong",
    section,
    expected: ["job.no-error"],
    plant: jobs((job) => ({ ...job, error_code: job["error_code"] ?? "none" })),
  },
  {
    name: "counts the duration of a job that goes on as 0",
    section,
    expected: ["job.duration-ms"],
    plant: jobs((job) => ({ ...job, duration_ms: job["duration_ms"] ?? 0 })),
  },
  {
    name: "completes a job when it is created",
    section,
    expected: ["job.completed-at"],
    plant: jobs((job) => ({ ...job, completed_at: job["completed_at"] ?? job["created_at"] })),
  },
  {
    name: "writes created_at with milliseconds",
    section,
    expected: ["job.created-at.form"],
    plant: jobs((job) => ({
      ...job,
      created_at: String(job["created_at"]).replace("Z", ".000Z"),
    })),
  },
  {
    name: "says the time of the poll for created_at",
    section,
    expected: ["job.created-at.when"],
    plant: jobs((job, mock) => ({
      ...job,
      created_at: new Date(mock.clock.now()).toISOString().replace(/\.\d+/, ""),
    })),
  },
  {
    name: "gives an address of the result while the job goes on",
    section,
    expected: ["job.result-url.only-on-success"],
    plant: jobs((job) =>
      running(job) ? { ...job, result_url: "https://results.example/soon.png" } : job,
    ),
  },
  {
    name: "charges twice, by what the job says",
    section,
    expected: ["job.cost-credits"],
    plant: jobs((job) => ({ ...job, cost_credits: numberOr(job["cost_credits"], (n) => 2 * n) })),
  },
  {
    name: "shows the photo that was sent",
    section: "What the service does",
    expected: ["privacy.inputs"],
    plant: jobs((job) => ({ ...job, person_image_b64: images.person })),
  },
  {
    name: "keeps an address of a result that there is not",
    section,
    expected: ["failure.no-result"],
    plant: jobs((job) =>
      failed(job) ? { ...job, result_url: "https://results.example/none.png" } : job,
    ),
  },
  {
    name: "says content_blocked in error_code",
    section: "Errors",
    expected: ["failure.content-blocked"],
    plant: jobs((job) =>
      job["error_message"] === "content_blocked"
        ? { ...job, error_code: "content_blocked", error_message: "generation_failed" }
        : job,
    ),
  },
  {
    name: "does not say what went wrong when a result could not be stored",
    section: "Errors",
    expected: ["failure.error-fields"],
    plant: jobs((job) =>
      job["error_message"] === "storage_failed" ? { ...job, error_message: null } : job,
    ),
  },
  {
    name: "calls a job done whose result could not be stored",
    section: states,
    expected: ["failure.running-to-failed"],
    plant: jobs((job) =>
      job["error_message"] === "storage_failed" ? { ...job, status: "succeeded" } : job,
    ),
  },
  {
    name: "lets a job fail when its image is deleted",
    section: states,
    expected: ["states.terminal.final"],
    plant: jobs((job, mock) => {
      const age = mock.clock.now() - Date.parse(String(job["completed_at"]));
      return age > 30 * day ? { ...job, status: "failed" } : job;
    }),
  },
];

function trimmed(metadata: unknown): unknown {
  if (metadata === null) return null;
  return Object.fromEntries(
    Object.entries(fieldsOf(metadata)).map(([name, value]) => [
      name,
      typeof value === "string" ? value.trim() : value,
    ]),
  );
}
