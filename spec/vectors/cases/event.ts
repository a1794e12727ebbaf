import { accepted, completed, json, refused, signed, vector } from "../webhook-vector.ts";
import type { WebhookVector } from "../webhook-vector.ts";

type Fields = Readonly<Record<string, unknown>>;

const { event, job_id, status } = completed;
const bare = { result_url: null, error_code: null, error_message: null, duration_ms: null };
const withoutOptionalFields = { event, job_id, status, ...bare, completed_at: null };
const end = Date.parse(completed.completed_at);

function read(id: string, name: string, body: Fields, as: Fields): WebhookVector {
  const expected = { ok: true, secretIndex: 0, event: as } as const;
  return vector(`event-${id}`, name, expected, { body: json(body) });
}

function invalid(id: string, name: string, body: unknown): WebhookVector {
  return vector(`event-${id}`, name, refused("invalid_event"), { body: json(body) });
}

function unknown(id: string, name: string, body: Fields): WebhookVector {
  const as = { event: body["event"], job_id: body["job_id"] ?? null, status: null, data: body };
  return read(`unknown-${id}`, name, body, as);
}

function headed(
  id: string,
  name: string,
  ...more: Array<readonly [string, string]>
): WebhookVector {
  const headers = [...signed(json(completed)), ...more];
  return vector(`header-${id}`, name, refused("header_mismatch"), { headers });
}

function aged(
  id: string,
  name: string,
  fresh: boolean,
  age: number,
  completed_at: string | null = completed.completed_at,
): WebhookVector {
  const body = json({ ...completed, completed_at });
  const settings = { maxAge: 300_000, now: end + age };
  const as = { ok: true, secretIndex: 0, event: { ...completed, completed_at } } as const;
  return vector(`age-${id}`, name, fresh ? as : refused("stale_event"), { body, settings });
}

const ping = json({ event: "ping" });
const pinged = {
  ok: true,
  secretIndex: 0,
  event: { event: "ping", job_id: null, status: null, data: { event: "ping" } },
} as const;
const failed = {
  ...completed,
  status: "failed",
  result_url: null,
  error_code: "generation_failed",
  error_message: "content_blocked",
};
const wrongTypes = {
  ...completed,
  result_url: 1,
  error_code: false,
  error_message: ["content_blocked"],
  duration_ms: "8421",
  completed_at: { at: 0 },
};

export const eventCases: WebhookVector[] = [
  read("failed", "a job that failed", failed, failed),
  read(
    "bare",
    "the three fields that it takes, and no more",
    { event, job_id, status },
    withoutOptionalFields,
  ),
  read("wrong-types", "every other field of a wrong type", wrongTypes, withoutOptionalFields),
  read("more-fields", "fields that are not known", { ...completed, metadata: { a: 1 } }, completed),
  read(
    "other-job-id",
    "a job id of another form",
    { ...completed, job_id: "a-b" },
    {
      ...completed,
      job_id: "a-b",
    },
  ),
  unknown("kind", "a kind that is not known", {
    event: "tryon.started",
    job_id,
    status: "running",
  }),
  unknown("bare", "a kind that is not known, and no other field", { event: "ping" }),

  vector("unknown-job-in-header", "a kind that is not known, its job in the header only", pinged, {
    body: ping,
    headers: [...signed(ping), ["X-Service-Event", "ping"], ["X-Service-Job-Id", job_id]],
  }),

  invalid("null", "null", null),
  invalid("array", "an array of an event", [completed]),
  invalid("text", "a text", "tryon.completed"),
  invalid("number", "a number", 42),
  invalid("no-fields", "no field", {}),
  invalid("no-event", "no event", { job_id, status }),
  invalid("event-number", "an event that is a number", { event: 1, job_id, status }),
  invalid("event-empty", "an event that is empty", { event: "", job_id, status }),
  invalid("no-job-id", "no job_id", { event, status }),
  invalid("job-id-null", "a job_id that is null", { event, job_id: null, status }),
  invalid("job-id-number", "a job_id that is a number", { event, job_id: 7, status }),
  invalid("job-id-empty", "a job_id that is empty", { event, job_id: "", status }),
  invalid("no-status", "no status", { event, job_id }),
  invalid("status-running", "a status that is no end", { event, job_id, status: "running" }),
  invalid("status-case", "a status in upper case", { event, job_id, status: "SUCCEEDED" }),
  invalid("status-list", "a status in a list", { event, job_id, status: ["succeeded"] }),

  vector("header-absent", "no header but the signature", accepted),
  headed("event", "another event in the header", ["X-Service-Event", "tryon.started"]),
  headed("event-case", "the event in upper case", ["X-Service-Event", "TRYON.COMPLETED"]),
  headed("event-empty", "an empty event in the header", ["X-Service-Event", ""]),
  headed("job-id", "another job in the header", ["X-Service-Job-Id", "job_other"]),
  headed(
    "job-id-second",
    "a second job in the header",
    ["X-Service-Job-Id", job_id],
    ["x-service-job-id", "job_other"],
  ),
  vector(
    "header-before-signature",
    "another job and a wrong secret",
    refused("signature_mismatch"),
    {
      secrets: ["whsec_other"],
      headers: [...signed(json(completed)), ["X-Service-Job-Id", "job_other"]],
    },
  ),

  aged("fresh", "as old as allowed", true, 300_000),
  aged("stale", "a millisecond older than allowed", false, 300_001),
  aged("future", "a clock that is behind", true, -60_000),
  aged("none", "no time, where an age is asked for", false, 0, null),
  aged("no-time", "a time that is none", false, 0, "yesterday"),
  aged("no-zone", "a time without its zone is UTC", true, 0, "2026-03-01T12:00:08"),
  aged("offset", "a time with an offset", true, 0, "2026-03-01T12:00:08+00:00"),
  aged("fraction", "a time with a fraction", true, 300_500, "2026-03-01T12:00:08.500Z"),
];
