import {
  isPoll,
  isSubmit,
  jobIdIn,
  mutated,
  submissions,
  withFields,
} from "../mutated-responses.ts";
import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import type { Mutant } from "../mutant.ts";

const answer = "Resources and their fields / TryOnSubmitResponse";
const states = "States and transitions";

const ofTestKey = (token: string): boolean => token.startsWith("svc_test_");
const going = (fields: Fields): boolean => fields["status"] === "running";
const failed = (fields: Fields): boolean => fields["status"] === "failed";

/** Deviations in what submissions are answered. */
export const submissionMutants: readonly Mutant[] = [
  {
    name: "says succeeded before the job has begun",
    section: states,
    expected: ["submit-response.async"],
    plant: submissions((fields, { body }) =>
      body["wait"] === false ? { ...fields, status: "succeeded" } : fields,
    ),
  },
  {
    name: "leaves the balance out of the answer to a held call",
    section: "Endpoints / POST /api/v1/tryon",
    expected: ["submit-response.sync"],
    plant: submissions(({ credits_remaining: balance, ...fields }) =>
      fields["status"] === "succeeded" ? fields : { ...fields, credits_remaining: balance },
    ),
  },
  {
    name: "gives an address of the result before there is one",
    section: answer,
    expected: ["submit-response.result-url"],
    plant: submissions((fields) =>
      going(fields) ? { ...fields, result_url: "https://results.example/soon.png" } : fields,
    ),
  },
  {
    name: "takes the seed 0 for none",
    section: answer,
    expected: ["submit-response.seed"],
    plant: submissions((fields) => ({ ...fields, seed: fields["seed"] || null })),
  },
  {
    name: "loses metadata in the answer to a submission",
    section: answer,
    expected: ["submit-response.metadata"],
    plant: submissions((fields) => ({ ...fields, metadata: null })),
  },
  {
    name: "does not tell that a test key was used",
    section: "Authentication",
    expected: ["submit-response.test-mode.test-key"],
    plant: submissions((fields) => ({ ...fields, test_mode: false })),
  },
  {
    name: "tells a live key that it is a test key",
    section: answer,
    expected: ["submit-response.test-mode.live-key"],
    plant: submissions((fields) => ({ ...fields, test_mode: true })),
  },
  {
    name: "gives an empty error_code where nothing went wrong",
    section: answer,
    expected: ["submit-response.no-error"],
    plant: submissions((fields) => ({ ...fields, error_code: fields["error_code"] ?? "" })),
  },
  {
    name: "has a message for every submission",
    section: answer,
    expected: ["submit-response.no-message"],
    plant: submissions((fields) => ({
      ...fields,
      message: fields["message"] ?? "Thank you: see GET /api/v1/tryon/{job_id}.",
    })),
  },
  {
    name: "says the price of 1K at every size",
    section: answer,
    expected: ["submit-response.cost-credits"],
    plant: submissions((fields, { token }) => ({
      ...fields,
      cost_credits: ofTestKey(token) ? 0 : 8,
    })),
  },
  {
    name: "says the balance from before the charge",
    section: answer,
    expected: ["submit-response.credits-remaining"],
    plant: submissions((fields) => ({
      ...fields,
      credits_remaining: Number(fields["credits_remaining"]) + Number(fields["cost_credits"]),
    })),
  },
  {
    name: "answers 500 when a held job has failed",
    section: "Errors",
    expected: ["failure.sync"],
    plant: mutated(() => async (call) => {
      const response = await call.send();
      if (!isSubmit(call) || !failed(fieldsOf(await response.clone().json()))) return response;
      return Response.json({ detail: "The model has failed." }, { status: 500 });
    }),
  },
  {
    name: "does not say why a held job has failed",
    section: "Endpoints / POST /api/v1/tryon",
    expected: ["failure.sync"],
    plant: submissions((fields) => ({ ...fields, error_message: null })),
  },
  {
    name: "gives a result with a held job that has failed",
    section: answer,
    expected: ["failure.sync.no-result"],
    plant: submissions((fields) =>
      failed(fields) ? { ...fields, result_url: "https://results.example/none.png" } : fields,
    ),
  },
  {
    name: "holds every call for a minute",
    section: states,
    expected: ["sync.waits"],
    plant: mutated((mock) => async (call) => {
      const from = mock.clock.now();
      const response = await call.send();
      if (!isSubmit(call) || call.body["wait"] !== true) return response;
      await mock.clock.sleep(55_000 - (mock.clock.now() - from));
      return response;
    }),
  },
  {
    name: "gives up a held call after 60 seconds",
    section: "Limits",
    expected: ["sync.limit"],
    plant: mutated((mock) => async (call) => {
      if (!isSubmit(call) || call.body["wait"] !== true) return call.send();
      const limit = mock.clock.sleep(60_000).then(() => undefined);
      const response = await Promise.race([call.send(), limit]);
      if (response !== undefined) return response;
      const headers = { authorization: `Bearer ${call.token}` };
      const list = await mock.fetch(`${call.url.href}?limit=1`, { headers });
      const [job] = elementsOf(fieldsOf(await list.json())["jobs"]);
      const { job_id: jobId, cost_credits: cost } = fieldsOf(job);
      const message = `Poll GET /api/v1/tryon/${String(jobId)}.`;
      return Response.json({ job_id: jobId, status: "running", cost_credits: cost, message });
    }),
  },
  {
    name: "does not say where to poll when a held call is given up",
    section: states,
    expected: ["sync.limit.message"],
    plant: submissions((fields) => ({
      ...fields,
      message: fields["message"] ? "Still running." : null,
    })),
  },
  {
    name: "gives up the job together with the held call",
    section: states,
    expected: ["sync.limit.job-continues"],
    plant: mutated(() => {
      const dropped = new Set<string>();
      return async (call) => {
        const response = await call.send();
        if (isSubmit(call)) {
          const fields = fieldsOf(await response.clone().json());
          if (fields["message"]) dropped.add(String(fields["job_id"]));
        }
        if (!isPoll(call) || !dropped.has(jobIdIn(call))) return response;
        return withFields(response, (job) => ({
          ...job,
          status: "failed",
          error_code: "generation_failed",
          error_message: "timeout",
        }));
      };
    }),
  },
];
