import { expect, it } from "vitest";

import { TryOn } from "../index.ts";
import { createService, input } from "../../test/service.ts";

/** Wraps an error in causes, as fetch does. */
const within = (depth: number, cause: unknown): Error =>
  depth === 0
    ? (cause as Error)
    : new TypeError("fetch failed", { cause: within(depth - 1, cause) });
const coded = (code: unknown, message: unknown = "no") => ({ code, message });

/** Submits with a fetch that fails, and returns the error with the number of attempts. */
async function submit(failure: unknown) {
  let attempts = 0;
  const { error, mock } = createService();
  const fetch = (): Promise<never> => {
    attempts += 1;
    // Tools throw what they like.
    return Promise.reject(failure);
  };
  const { clock, baseUrl } = mock;
  // Also in the run over `node:http`, where such tools throw before the request reaches an agent.
  const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl, clock, fetch, retries: 2 });
  const failed = await error(tryon.submit(input));
  return { failed, attempts };
}

const mockHint = "Mock this request, or check baseUrl (TRYON_BASE_URL).";

it.each([
  ["a permission of Node", coded("ERR_ACCESS_DENIED"), "Start Node with --allow-net."],
  ["nock", coded("ERR_NOCK_NO_MATCH"), mockHint],
  ["a MockAgent of undici", coded("UND_MOCK_ERR_MOCK_NOT_MATCHED"), mockHint],
  ["nock without connections", coded("ENETUNREACH", "Nock: Disallowed net connect"), mockHint],
  ["MSW", coded(undefined, "[MSW] Cannot bypass a request"), mockHint],
  ["fetch-mock", coded(undefined, "fetch-mock: No response or fallback rule"), mockHint],
])("sends a request once that %s refuses, and charges nothing", async (_tool, cause, hint) => {
  for (const depth of [0, 1, 8]) {
    const { failed, attempts } = await submit(within(depth, cause));
    expect(failed).toMatchObject({ code: "connection_failed", hint });
    expect(String(failed)).toContain("was not sent");
    expect(attempts).toBe(1);
  }
});

const ring: { cause?: unknown } = {};
ring.cause = ring;

it.each([
  ["a code with more before it", coded("NOT_ERR_ACCESS_DENIED")],
  ["a code with more behind it", coded("ERR_NOCK_NO_MATCH_YET")],
  ["another code and text", coded("ECONNRESET", "read ECONNRESET")],
  ["the text of a tool within another", coded("ECONNRESET", "Not Nock: it was reset")],
  ["a list for a code and a text", coded(["ERR_ACCESS_DENIED"], ["Nock: "])],
  ["a code deeper than nine causes", within(9, coded("ERR_ACCESS_DENIED"))],
  ["a cause without an end", ring],
  ["no error", undefined],
])(
  "sends a request again after %s, and does not know whether it is charged",
  async (_what, cause) => {
    const { failed, attempts } = await submit(cause);
    expect(failed).toMatchObject({ code: "outcome_unknown" });
    expect(attempts).toBe(3);
  },
);
