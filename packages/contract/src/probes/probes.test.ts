import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "../contract.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";
import {
  fieldsIn,
  isList,
  isPoll,
  isSubmit,
  jobIdIn,
  jobIdOf,
  refusal,
  rewritten,
  tampered,
  type MutatedRequest,
  type Tamper,
} from "../../test/mutants/mutated-responses.ts";
import { failures } from "../../test/run-checks.ts";

const isPurchase = ({ path }: MutatedRequest): boolean => path === "/api/v1/credits/purchase";
const problems = { detail: [{ loc: ["body"], msg: "Value error", type: "value_error" }] };
const invalid = (): Response => Response.json(problems, { status: 422 });

function responses(
  change: (response: Response, request: MutatedRequest) => Response | Promise<Response> | undefined,
): () => Tamper {
  return () => async (request) => {
    const response = await request.send();
    return change(response, request) ?? response;
  };
}

function submitted(change: (request: MutatedRequest) => Parameters<MutatedRequest["send"]>[0]) {
  return (): Tamper => (request) => request.send(isSubmit(request) ? change(request) : {});
}

function shortMetadata({ body }: MutatedRequest, isLong: (value: unknown) => boolean) {
  const entries = Object.entries(fieldsOf(body["metadata"]));
  const metadata = entries.map(([name, value]) => [name, isLong(value) ? "x" : value]);
  return { body: { ...body, metadata: Object.fromEntries(metadata) as unknown } };
}

const cases: readonly (readonly [
  option: string,
  usual: unknown,
  value: unknown,
  change: () => Tamper,
])[] = [
  [
    "fieldStatus",
    422,
    400,
    responses((response, request) =>
      response.status === 422 && isSubmit(request) ? refusal(400) : undefined,
    ),
  ],
  [
    "wrongContentType",
    422,
    415,
    responses((_response, { headers }) =>
      headers.get("content-type") === "text/plain" ? refusal(415) : undefined,
    ),
  ],
  [
    "metadataCount",
    "json",
    "text",
    submitted((request) => shortMetadata(request, (value) => typeof value === "object")),
  ],
  ["metadataCount", "json", "keys", submitted((request) => shortMetadata(request, () => true))],
  [
    "garmentDataUris",
    false,
    true,
    submitted(({ body }) => {
      const garments = elementsOf(body["garment_images_b64"]).map(String);
      const plain = garments.map((garment) => garment.replace(/^data:.*,/, ""));
      return { body: { ...body, garment_images_b64: plain } };
    }),
  ],
  [
    "discoveryKey",
    false,
    true,
    responses((_response, { path, token }) =>
      path === "/api/discovery" && token === "" ? refusal(401) : undefined,
    ),
  ],
  [
    "limitBounds",
    "refuse",
    "clamp",
    () => (request) => {
      const url = new URL(request.url);
      if (url.searchParams.get("limit") === "0") url.searchParams.set("limit", "1");
      return request.send({ url });
    },
  ],
  [
    "unknownCursor",
    400,
    422,
    responses((response, request) =>
      isList(request) && response.status === 400 ? invalid() : undefined,
    ),
  ],
  [
    "unknownCursor",
    400,
    "empty",
    responses((response, request) =>
      isList(request) && response.status === 400
        ? Response.json({ jobs: [], next_cursor: null })
        : undefined,
    ),
  ],
  [
    "foreignJob",
    404,
    403,
    responses((response, request) =>
      isPoll(request) && response.status === 404 ? refusal(403) : undefined,
    ),
  ],
  [
    "errorCodes",
    "generation_failed",
    "cause",
    responses(async (response, request) => {
      if (!isPoll(request)) return response;
      const { error_message: message } = await fieldsIn(response);
      return message ? rewritten(response, { fields: { error_code: message } }) : response;
    }),
  ],
  [
    "sparseSubmit",
    false,
    true,
    responses(async (response, request) => {
      if (!isSubmit(request)) return response;
      const { job_id, status } = await fieldsIn(response);
      return Response.json({ job_id, status });
    }),
  ],
  [
    "replayBody",
    "first",
    "current",
    () => {
      const ended = new Set<string>();
      return async (request) => {
        const response = await request.send();
        const { status } = isPoll(request) ? await fieldsIn(response) : {};
        if (status === "succeeded") ended.add(jobIdIn(request));
        const isEnded = isSubmit(request) && ended.has(await jobIdOf(response));
        return isEnded ? rewritten(response, { fields: { status: "succeeded" } }) : response;
      };
    },
  ],
  [
    "refusedKey",
    "free",
    "kept",
    () => {
      const kept = new Map<string, string>();
      return async (request) => {
        const { idempotencyKey: key = "", text } = request;
        const response = await request.send();
        if (response.status !== 402) return response;
        const first = kept.get(key) ?? text;
        kept.set(key, first);
        return first === text ? response : refusal(409);
      };
    },
  ],
  [
    "repeatCredits",
    "pack",
    0,
    () => {
      const paid = new Set<string>();
      return async (request) => {
        const response = await request.send();
        const isRepeated = isPurchase(request) && paid.has(request.text);
        paid.add(request.text);
        return isRepeated ? rewritten(response, { fields: { credits_added: 0 } }) : response;
      };
    },
  ],
  [
    "testKeyCredits",
    "pack",
    0,
    responses((response, request) =>
      isPurchase(request) ? rewritten(response, { fields: { credits_added: 0 } }) : undefined,
    ),
  ],
  [
    "unknownPack",
    400,
    422,
    responses((_response, { body }) =>
      body["pack_slug"] === "no-such-pack" ? invalid() : undefined,
    ),
  ],
  [
    "totalCalls",
    "admitted",
    "accepted",
    () => {
      const refused = new Map<string, number>();
      return async (request) => {
        const response = await request.send();
        const { token, path } = request;
        const count = refused.get(token) ?? 0;
        if (response.status >= 400) refused.set(token, count + 1);
        if (path !== "/api/v1/account") return response;
        const { total_calls: calls } = await fieldsIn(response);
        return rewritten(response, { fields: { total_calls: Number(calls) - count } });
      };
    },
  ],
];

async function observe(option: string, make: () => Tamper): Promise<unknown> {
  const mock = createMock({ clock: "manual" });
  const id = `observed.${option}`;
  const { observations, checks } = await runContract({
    baseUrl: mock.baseUrl,
    fetch: tampered(mock, make()),
    only: [id],
  });
  mock.close();
  expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
  return observations.find((one) => one.id === id)?.value;
}

test.each(cases)("observes %s other than %j as %j", async (option, usual, value, change) => {
  expect(await observe(option, change)).toBe(value);
  expect(
    await observe(
      option,
      () =>
        ({ send }) =>
          send(),
    ),
  ).toBe(usual);
});

test("fails no check for an open field that a submission response omits, and names it", async () => {
  const mock = createMock({ clock: "manual" });
  const withoutMetadata = responses((response, request) =>
    isSubmit(request) ? rewritten(response, { fields: { metadata: undefined } }) : undefined,
  );
  const { checks, observations, profile } = await runContract({
    baseUrl: mock.baseUrl,
    fetch: tampered(mock, withoutMetadata()),
    only: ["observed.sparseSubmit", "submit-response."],
  });
  mock.close();
  expect(failures({ checks })).toBe("");
  expect(profile.options).toEqual({});
  expect(observations[0]?.message).toBe("The response to a submission omits only metadata.");
});

test("observes a sliding window of the rate limit", async () => {
  const sent = new Map<string, number[]>();
  const mock = createMock({ clock: "manual" });
  const sliding: Tamper = async ({ path, token, send }) => {
    const now = mock.clock.now();
    const recent = (sent.get(token) ?? []).filter((at) => at > now - 60_000);
    const isLimited = path === "/api/v1/account" && !token.endsWith("_mock");
    if (isLimited && recent.length >= 3) return refusal(429, "Too many", { "retry-after": "20" });
    sent.set(token, [...recent, now]);
    return send();
  };
  const run = (fetch: typeof globalThis.fetch) =>
    runContract({ baseUrl: mock.baseUrl, fetch, only: ["observed.rateWindow"] });
  expect((await run(tampered(mock, sliding))).profile.options).toEqual({ rateWindow: "sliding" });
  expect((await run(mock.fetch)).profile.options).toEqual({ rateWindow: "fixed" });
  mock.close();
});

test("observes the longest page of a list that reduces large limits", async () => {
  for (const maxLimit of [100, 50] as const) {
    const mock = createMock({ clock: "manual", options: { maxLimit } });
    const clamped: Tamper = (request) => {
      const url = new URL(request.url);
      const limit = Number(url.searchParams.get("limit") ?? 20);
      if (isList(request)) url.searchParams.set("limit", String(Math.min(limit, maxLimit)));
      return request.send({ url });
    };
    const fetch = tampered(mock, clamped);
    const { profile } = await runContract({
      baseUrl: mock.baseUrl,
      fetch,
      only: ["observed.maxLimit"],
    });
    expect(profile.options).toEqual({ maxLimit });
    mock.close();
  }
});
