import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import {
  respondWith,
  respondAfter,
  createService,
  cut,
  input,
  type Fault,
} from "../../test/service.ts";

const no = { detail: "no" };
const page = "<html>Not here</html>";

/** Outcome of a submission that is sent once and fails like this. */
async function submissionEnd(...faults: readonly Fault[]): Promise<string> {
  const { error, client, faults: pending } = createService();
  pending.push(...faults);
  const failed = await error(client({ retries: faults.length - 1 }).submit(input));
  if (!isTryOnError(failed)) throw failed;
  return failed.code;
}

describe("the only attempt of a submission", () => {
  it.each([
    [400, "bad_request"],
    [401, "unauthorized"],
    [402, "insufficient_credits"],
    [403, "forbidden"],
    [422, "validation_failed"],
  ])("is believed when the service itself refuses it with %i", async (status, code) => {
    expect(await submissionEnd(respondWith(status, no))).toBe(code);
    expect(await submissionEnd(respondWith(status, page))).toBe("outcome_unknown");
    expect(await submissionEnd(respondWith(status, { message: "a gateway's" }))).toBe(
      "outcome_unknown",
    );
  });

  it.each([
    [404, "not_found"],
    [405, "bad_request"],
    [411, "bad_request"],
    [413, "payload_too_large"],
    [414, "bad_request"],
    [415, "bad_request"],
    [421, "bad_request"],
    [431, "bad_request"],
  ])("is believed to have reached no service when anything answers %i", async (status, code) => {
    expect(await submissionEnd(respondWith(status, no))).toBe(code);
    expect(await submissionEnd(respondWith(status, page))).toBe(code);
  });

  it.each([301, 302, 307, 308])("is believed to have been sent away by a %i", async (status) => {
    expect(
      await submissionEnd(respondWith(status, "", { location: "https://tryon.example/" })),
    ).toBe("redirected");
  });

  it.each([408, 410, 418, 303, 200, 204])("may have been made when %i answers", async (status) => {
    const answer: Fault = async (_request, pass) => {
      await pass();
      return new Response(status === 204 ? null : page, { status });
    };
    expect(await submissionEnd(answer)).toBe("outcome_unknown");
  });

  it.each([500, 502, 503, 504, 520, 524])("keeps the way to its job with a %i", async (status) => {
    const { error, run, client, faults } = createService();
    faults.push(respondAfter(status, page));
    const failed = await error(client({ retries: 0 }).submit(input));
    expect(failed).toMatchObject({ status, idempotencyKey: expect.any(String) });
    if (!isTryOnError(failed, status === 503 ? "unavailable" : "server_error")) throw failed;
    expect((await run(failed.recover?.() ?? Promise.reject(failed))).id).toMatch(/^job_/);
  });

  it.each([
    ["ENOTFOUND", "connection_failed"],
    ["UND_ERR_CONNECT_TIMEOUT", "connection_failed"],
    ["CERT_HAS_EXPIRED", "connection_failed"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "connection_failed"],
    ["ENOTFOUND_IN_CACHE", "outcome_unknown"],
    ["PROXY_ECONNREFUSED", "outcome_unknown"],
  ])("that fails with %s ends in %s", async (code, end) => {
    const failing: Fault = async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });
    };
    expect(await submissionEnd(failing)).toBe(end);
  });
});

describe("a later attempt", () => {
  it.each([
    ["a cut and a 404", [cut.before, respondWith(404, page)]],
    ["a 503 and a 402", [respondWith(503, no), respondWith(402, no)]],
    ["a cut and a 500", [cut.after, respondWith(500, no)]],
    ["a 500 and a 307", [respondWith(500, no), respondWith(307, "", { location: "/" })]],
    ["a 500 and a 400", [respondWith(500, no), respondWith(400, no)]],
  ] as const)("cannot take back what an earlier one may have done: %s", async (_name, faults) => {
    expect(await submissionEnd(...faults)).toBe("outcome_unknown");
  });

  it("ends in its own error when every one before proves that nothing happened", async () => {
    const limited = respondWith(429, no, { "retry-after": "1" });
    expect(await submissionEnd(cut.refused, limited, respondWith(422, no))).toBe(
      "validation_failed",
    );
    expect(await submissionEnd(cut.refused, respondWith(503, no))).toBe("unavailable");
  });
});
