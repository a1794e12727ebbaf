import { expect, it } from "vitest";

import { cut, input } from "../../test/service.ts";
import { createProxyService, jsonHeaders, tryOn } from "../../test/proxy-service.ts";
import { createTryOnSession } from "../session/index.ts";

const secret = "a secret that all instances of the proxy have";

/** A page whose proxy has another API key once `rotate` was called. */
async function createShop(rotated: { readonly secret?: string } = { secret }) {
  const keys = { current: "" };
  const service = createProxyService({ secret, apiKey: () => keys.current });
  const { mock } = service;
  keys.current = mock.keys.live;
  const { token } = await mock.createKey({ credits: 1_000 });
  const next = createProxyService({ ...rotated, apiKey: token }, {}, service);
  return {
    ...service,
    next,
    rotate: () => void (keys.current = token),
    charges: async () => {
      const ledgers = await Promise.all([mock.ledger(mock.keys.live), mock.ledger(token)]);
      return ledgers.flatMap((ledger) => ledger?.entries.filter(({ jobId }) => jobId) ?? []).length;
    },
  };
}

it.each([
  ["the response was lost", cut.after, 1],
  ["the request was lost", cut.before, 0],
])(
  "never submits a try-on of a session again under another API key, if %s",
  async (_how, fault, made) => {
    const { page, run, rotate, faults, charges } = await createShop();
    const session = createTryOnSession(page("ada"), {});
    faults.push(fault, fault, fault, fault);
    await run(session.start(input));
    expect(session.getSnapshot()).toMatchObject({ status: "failed", canResume: true });
    rotate();
    faults.length = 0;
    await run(session.resume());
    expect(session.getSnapshot()).toMatchObject({
      status: "failed",
      canResume: true,
      error: {
        code: "outcome_unknown",
        message: expect.stringContaining("it belongs to another API key"),
      },
    });
    expect(await charges()).toBe(made);
    // A new try-on has the new key.
    await run(session.start(input));
    expect(session.getSnapshot().status).toBe("succeeded");
    expect(await charges()).toBe(made + 1);
  },
);

it("submits a try-on of a session again under the same API key, and charges it once", async () => {
  const { page, run, faults, charges } = await createShop();
  const session = createTryOnSession(page("ada"), {});
  faults.push(cut.after, cut.before, cut.before, cut.before);
  await run(session.start(input));
  faults.length = 0;
  await run(session.resume());
  expect(session.getSnapshot().status).toBe("succeeded");
  expect(await charges()).toBe(1);
});

it("ends a call whose retry reaches another API key, and its recovery, without a submission", async () => {
  const { page, run, error, rotate, faults, charges } = await createShop();
  const tryon = page("ada");
  const apiKeyFingerprint = await run(tryon.apiKeyFingerprint());
  faults.push(cut.after, async (_request, pass) => pass());
  const call = tryon.run(input, {
    apiKeyFingerprint,
    onUpdate: ({ phase }) => {
      if (phase === "retrying") rotate();
    },
  });
  const failed = await error(call);
  expect(failed).toMatchObject({ code: "outcome_unknown" });
  const { recover } = failed as { recover: () => Promise<unknown> };
  expect(await error(recover())).toMatchObject({ code: "outcome_unknown" });
  expect(await charges()).toBe(1);
});

async function fingerprint(response: Response): Promise<string> {
  return ((await response.json()) as { fingerprint: string }).fingerprint;
}

it("refuses a submission for another API key before it is sent, also with another secret", async () => {
  const { ask, post, next, charges } = await createShop({});
  const own = await fingerprint(await ask("ada", "/api/v1/key"));
  expect(own).toMatch(/^[0-9a-f]{32}$/);
  expect(await fingerprint(await next.ask("ada", "/api/v1/key"))).not.toBe(own);
  const headers = { ...jsonHeaders, "if-match": `"${own}"` };
  expect((await post("ada", tryOn, headers)).status).toBe(200);
  const refused = await next.post("ada", tryOn, headers);
  expect([refused.status, await refused.json()]).toEqual([
    412,
    {
      detail: "The API key was replaced since the first attempt. Nothing was sent.",
      retryable: false,
    },
  ]);
  expect(await charges()).toBe(1);
});
