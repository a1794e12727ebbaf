import { expect, it } from "vitest";

import { received } from "../../test/received.ts";
import type { Stage } from "./http-request.ts";
import {
  conflict,
  none,
  rowOf,
  serverError,
  unknown,
  type Failure,
  type Outcome,
  type Received,
} from "./outcome-table.ts";

const detail = { detail: "no" };
const redirected = (status: number, redirect: boolean): Received => {
  const { response } = received(status);
  return { response: { ...response, redirect } };
};
const lost = (stage?: Stage, cause?: unknown, own: Partial<Failure> = {}): Failure => ({
  failure: "connection_failed",
  stage,
  cause,
  ...own,
});
const coded = (code: unknown, cause?: unknown) => Object.assign(new Error("no"), { code, cause });
/** Wraps an error in causes. */
const deep = (depth: number): object =>
  depth === 0 ? coded("ECONNREFUSED") : { cause: deep(depth - 1) };
const ring: { cause?: unknown } = {};
ring.cause = ring;
const via = (proxyStatus: number) => lost("sent", { proxyStatus });
const refused503 = { ...detail, retryable: false };

type Proof = readonly [proves: number, step: string];
const refusal: Proof = [none, "end"];
const unopened: Proof = [none, "retry"];
const other: Proof = [unknown, "retry"];
const failed: Proof = [serverError, "retry"];
const unidentified: Proof = [unknown, "identify"];

/** Creates a row for each value. */
const each = <Value>(values: readonly Value[], outcome: (value: Value) => Outcome, proof: Proof) =>
  values.map((value): [Outcome, ...Proof] => [outcome(value), ...proof]);

it.each<[Outcome, number, string, boolean?]>([
  [lost(undefined, undefined, { failure: "unsent" }), ...refusal],
  [lost("sent", undefined, { failure: "unsent" }), ...refusal],
  [lost(undefined, undefined, { failure: "rate_limited" }), ...refusal],
  [lost("sent", undefined, { failure: "timed_out" }), ...other],
  ...each([400, 403, 404, 405, 407, 418, 428, 430], via, refusal),
  ...each([408, 429, 500, 502, 503], via, unopened),
  ...each(["connecting", "uploading"], (stage: Stage) => lost(stage), unopened),
  ...each(["sent", "reused", "lost", undefined], (stage?: Stage) => lost(stage), other),
  ...each(
    [
      "ECONNREFUSED",
      "ENOTFOUND",
      "EAI_AGAIN",
      "UND_ERR_CONNECT_TIMEOUT",
      "ConnectionRefused",
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    (code) => lost("sent", coded(code)),
    unopened,
  ),
  ...each(
    ["ECONNRESET", "ECONNREFUSED_LATER", "NO_ECONNREFUSED", undefined],
    (code) => lost("sent", coded(code)),
    other,
  ),
  // A middleware has sent the request before.
  ...each([coded("ECONNREFUSED"), { proxyStatus: 407 }], (cause) => lost("lost", cause), other),
  [lost("sent", coded(7, coded("ENOTFOUND"))), ...unopened],
  [lost("sent", coded("ECONNRESET", coded("ENOTFOUND"))), ...other],
  [lost("sent", deep(8)), ...unopened],
  ...each([deep(9), ring], (cause) => lost("sent", cause), other),
  [received(404, "text", { isElsewhere: true }), ...refusal],
  [received(404, "text", { isElsewhere: false }), ...unidentified],
  // Browsers hide the status of a redirect.
  [redirected(0, true), ...unidentified],
  [redirected(0, false), ...other],
  [redirected(302, true), ...unidentified],
  [received(503, refused503), ...refusal, true],
  [received(429, refused503), ...refusal, true],
  [received(429, refused503), ...unopened],
  [received(503, refused503), ...failed],
  [received(502, refused503), ...failed, true],
  ...each([detail, undefined, null], (body) => received(503, body), failed).map(
    ([outcome, ...proof]): [Outcome, number, string, boolean] => [outcome, ...proof, true],
  ),
  [received(503, { ...detail, retryable: true }), ...failed, true],
  ...each([{ job_id: "job_1" }, []], (body) => received(200, body), [unknown, "end"]),
  ...each(["text", undefined], (body) => received(200, body), other),
  ...each([411, 413, 414, 415, 421, 431], (status) => received(status), refusal),
  ...each([411, 413, 414, 415, 421, 431], (status) => received(status, detail), refusal),
  ...each([400, 401, 402, 403, 422], (status) => received(status, detail), refusal),
  ...each([400, 401, 402, 403, 422], (status) => received(status, { detail: [] }), refusal),
  ...each([400, 401, 402, 403, 422], (status) => received(status, { detail: 7 }), other),
  ...each([400, 401, 402, 403, 422, 409, 429], (status) => received(status), other),
  [received(429, detail), ...unopened],
  [received(409, detail), conflict, "end"],
  ...each(
    [406, 408, 410, 412, 416, 417, 418, 420, 423, 441],
    (status) => received(status, detail),
    other,
  ),
  ...each([500, 503, 599], (status) => received(status, detail), failed),
  ...each([500, 503, 599], (status) => received(status, "text"), failed),
  ...each([300, 304, 399, 404, 405], (status) => received(status, detail), unidentified),
  ...each([300, 304, 399, 404, 405], (status) => received(status), unidentified),
])("%o proves %i and is followed by %s", (outcome, proves, step, isProxy = false) => {
  expect(rowOf(outcome, isProxy)).toMatchObject({ proves, next: step });
});
