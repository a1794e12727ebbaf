import type { CheckResult, Observation, Report } from "../src/report.ts";
import { openPoints, type OptionValue } from "../src/open-points.ts";

function check(id: string, more: Partial<CheckResult> = {}): CheckResult {
  return {
    id,
    title: `A deployment that keeps ${id} does what the document says`,
    rules: [`${id}.rule`, "auth.bearer.header"],
    level: "safe",
    status: "passed",
    message: undefined,
    curl: undefined,
    credits: 0,
    milliseconds: 12,
    ...more,
  };
}

const curl =
  'curl -i -X POST https://tryon.example/api/v1/tryon -H \'authorization: Bearer svc_test_…\' -H \'content-type: application/json\' -H \'idempotency-key: contract-0123456789abcdef\' -d \'{"person_image_b64":"iVBORw0KGgoAAAANSUhEUgAAAGAAAACACAIAAABr1yBdAAAAsklEQVR4nO3QQREAIAzAsIF/z0MGD9ISKdhvZk6y","garment_images_b64":["iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAIAAABt+uBvAAAAhklEQVR4nO3QQQEAIAzAQPBvegIE"],"output_size":"1K","wait":false}\'';

export const nasty = `</script><img src=x onerror=alert(1)> & "quoted" 'too' ]]> \u0000\u001B[31m\u202E\uFFFE\uD800 né 🧥`;

const groups: readonly (readonly [area: string, names: readonly string[]])[] = [
  ["authentication", ["missing-key", "unknown-key", "disabled-key", "scheme-in-any-case"]],
  ["idempotency", ["replay.same-answer", "replay.other-body", "key.255-characters"]],
  ["list", ["newest-first", "cursor.stable-on-insert", "status-filter"]],
  ["webhooks", ["signature", "retry-schedule", "ten-second-limit"]],
  ["answers", ["GET /api/v1/account.200", "POST /api/v1/tryon.422"]],
];

const passed = groups.flatMap(([area, names]) => names.map((name) => check(`${area}.${name}`)));

function observation(option: string, values: readonly OptionValue[]): Observation {
  const isUnknown = option === "readLag" || option === "concurrentTwin";
  return {
    id: `observe.${option}`,
    option,
    title: `Which way ${option} goes`,
    rules: [],
    value: isUnknown ? "unknown" : (values.at(-1) ?? "unknown"),
    message: isUnknown ? "This run could not tell." : undefined,
    deviations: option === "timeFormat" ? ["times that do not end in Z"] : [],
  };
}

export const sampleReport: Report = {
  baseUrl: "https://tryon.eu-central.staging.shop.example",
  level: "paid",
  startedAt: "2026-03-01T12:34:56.789Z",
  milliseconds: 83_210,
  virtualTime: false,
  endedEarly: undefined,
  credits: { planned: 64, max: 50, spent: 44 },
  checks: [
    ...passed,
    check("idempotency.replay.charges-nothing", {
      title: "The same call with the same idempotency key is charged once",
      status: "failed",
      message: "The second call took 8 more credits; it should have taken none.",
      curl,
      credits: 16,
    }),
    check("validation.field-names", {
      title: "A refusal names the field that is wrong",
      status: "failed",
      message: `The detail does not name garment_images_b64: ${nasty}`,
      curl: `curl -i 'https://tryon.example/?q=${nasty}'`,
    }),
    check("cross-origin.response", { status: "observed", rules: [] }),
    check("list-query.limit", {
      status: "observed",
      rules: ["list.limit.bounds"],
      message: "Expected 422 for the limit 0, got 200.",
    }),
    ...["schedule", "redirect", "resend"].map((name) =>
      check(`webhooks.${name}`, {
        status: "not-observable",
        message:
          "The deployment must reach the kit: use --webhook-url with a public URL that leads to --webhook-port of this machine.",
      }),
    ),
    check("authentication.flagged-key", {
      status: "not-observable",
      message: "It takes a key of an account that was flagged for fraud (TRYON_FLAGGED_KEY).",
    }),
    check("responses.POST /api/v1/tryon.504", {
      status: "not-observable",
      message: "No request of this run had this response.",
    }),
  ],
  observations: [...openPoints.values()]
    .filter(({ notObservable }) => notObservable === undefined)
    .map(({ id, values }) => observation(id, values)),
  profile: { options: { refund: "failed" }, unknown: ["readLag", "concurrentTwin"] },
};

export const cutReport: Report = {
  ...sampleReport,
  endedEarly: {
    cause: "max-time",
    message: "it took 600 s, its maximum (--max-time)",
    notRun: ["webhooks.redirect", "webhooks.resend", "observe.readLag"],
  },
};

export const goodReport: Report = {
  ...sampleReport,
  checks: sampleReport.checks.filter(({ status }) => status === "passed"),
};
