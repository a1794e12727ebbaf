import type { Mock } from "@tryon/mock";

import { fieldsOf } from "../../../src/wire/response.ts";
import {
  isPoll,
  isResult,
  isSubmit,
  jobIdIn,
  jobIdOf,
  mutated,
  withFields,
  type MutatedRequest,
} from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const limits = "Limits";
const submission = "Resources and their fields / TryOnSubmitResponse";
const job = "Resources and their fields / TryOnJobStatus";

/** What a deployment remembers of the addresses that it gave. */
interface Given {
  readonly by: "submission" | "poll";
  readonly at: number;
}

/** Deviations in the addresses of results, and in how long results are kept. */
export const resultUrlMutants: readonly Mutant[] = [
  {
    name: "gives polls the same address for 23 hours",
    section: job,
    expected: ["job.result-url.regenerated"],
    plant: mutated((mock) => {
      const first = new Map<string, { address: unknown; at: number }>();
      return async (call) => {
        const response = await call.send();
        if (!isPoll(call)) return response;
        return withFields(response, (fields) => {
          if (fields["result_url"] === null) return fields;
          const now = mock.clock.now();
          const known = first.get(jobIdIn(call));
          const kept = known !== undefined && now - known.at < 23 * hour ? known : undefined;
          const next = kept ?? { address: fields["result_url"], at: now };
          first.set(jobIdIn(call), next);
          return { ...fields, result_url: next.address };
        });
      };
    }),
  },
  {
    name: "gives polls addresses that work for an hour",
    section: limits,
    expected: ["job.result-url.day"],
    plant: addresses(async (call, given, mock) =>
      given?.by === "poll" && mock.clock.now() - given.at > hour ? expired() : call.send(),
    ),
  },
  {
    name: "gives held calls addresses that work for an hour",
    section: submission,
    expected: ["submit-response.result-url.day"],
    plant: addresses(async (call, given, mock) =>
      given?.by === "submission" && mock.clock.now() - given.at > hour ? expired() : call.send(),
    ),
  },
  {
    name: "answers a held call before its image can be fetched",
    section: submission,
    expected: ["submit-response.result-url.fetched"],
    plant: addresses(async (call, given, mock) =>
      given?.by === "submission" && mock.clock.now() - given.at < minute
        ? new Response("", { status: 404 })
        : call.send(),
    ),
  },
  {
    name: "gives addresses that work for ever",
    section: limits,
    expected: ["job.result-url.expires"],
    plant: addresses(async (call, given, _mock, afresh) => {
      const response = await call.send();
      const refused = given !== undefined && response.status === 403;
      return refused ? ((await afresh()) ?? response) : response;
    }),
  },
  {
    name: "believes any expiry that an address says",
    section: "Semantics 7",
    expected: ["job.result-url.signed"],
    plant: mutated((mock) => {
      const known = new Map<string, string>();
      return async (call) => {
        if (isResult(call)) {
          const good = known.get(`${call.url.pathname} ${call.url.searchParams.get("signature")}`);
          const expires = Number(call.url.searchParams.get("expires")) * 1_000;
          const url = good === undefined || expires <= mock.clock.now() ? call.url : new URL(good);
          return call.send({ url });
        }
        const response = await call.send();
        if (!isPoll(call)) return response;
        return withFields(response, (fields) => {
          const { result_url: address } = fields;
          if (typeof address !== "string") return fields;
          const url = new URL(address);
          known.set(`${url.pathname} ${url.searchParams.get("signature")}`, address);
          return fields;
        });
      };
    }),
  },
  {
    name: "deletes results after a week",
    section: limits,
    expected: ["privacy.results.kept"],
    plant: mutated((mock) => async (call) => {
      const response = await call.send();
      if (!isPoll(call)) return response;
      return withFields(response, (fields) => {
        const age = mock.clock.now() - Date.parse(String(fields["completed_at"]));
        return age > 7 * day ? { ...fields, result_url: null } : fields;
      });
    }),
  },
  {
    name: "never deletes results",
    section: "What the service does",
    expected: ["privacy.results.deleted"],
    plant: mutated(() => {
      const kept = new Set<string>();
      return async (call) => {
        if (call.url.pathname.startsWith("/kept/")) {
          return new Response("an image", { headers: { "content-type": "image/png" } });
        }
        const response = await call.send();
        if (!isPoll(call)) return response;
        const id = jobIdIn(call);
        return withFields(response, (fields) => {
          if (fields["result_url"] !== null) kept.add(id);
          const gone = fields["result_url"] === null && kept.has(id);
          return gone ? { ...fields, result_url: `${call.url.origin}/kept/${id}.png` } : fields;
        });
      };
    }),
  },
  {
    name: "sends no webhooks for test keys",
    section: "Semantics 7",
    expected: ["test-key.job"],
    plant: mutated(() => (call) => {
      const test = isSubmit(call) && call.token.startsWith("svc_test_");
      return test && "webhook_url" in call.body
        ? call.send({ body: { ...call.body, webhook_url: null } })
        : call.send();
    }),
  },
];

function expired(): Response {
  return new Response("<Error/>", {
    status: 403,
    headers: { "content-type": "application/xml" },
  });
}

/** Answers calls for results by what is known of their addresses; `afresh` answers as a new address would. */
function addresses(
  answer: (
    call: MutatedRequest,
    given: Given | undefined,
    mock: Mock,
    afresh: () => Promise<Response | undefined>,
  ) => Promise<Response>,
): Mutant["plant"] {
  return mutated((mock) => {
    const given = new Map<string, Given>();
    const owners = new Map<string, string>();
    return async (call) => {
      if (isResult(call)) {
        return answer(call, given.get(call.url.href), mock, async () => {
          const headers = { authorization: `Bearer ${owners.get(jobIdIn(call)) ?? ""}` };
          const jobId = jobIdIn(call);
          const poll = await mock.fetch(`${call.url.origin}/api/v1/tryon/${jobId}`, { headers });
          const { result_url: address } = fieldsOf(await poll.json());
          return typeof address === "string" ? mock.fetch(address) : undefined;
        });
      }
      const response = await call.send();
      if (!isSubmit(call) && !isPoll(call)) return response;
      if (isSubmit(call)) owners.set(await jobIdOf(response), call.token);
      const { result_url: address } = fieldsOf(await response.clone().json());
      if (typeof address === "string") {
        const by = isSubmit(call) ? "submission" : "poll";
        given.set(address, { by, at: mock.clock.now() });
      }
      return response;
    };
  });
}
