import {
  fieldsIn,
  patched,
  refusal,
  responses,
  rewritten,
  sent,
  type Change,
  type MutatedRequest,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const purchasePath = "/api/v1/credits/purchase";

function tokenOf({ body }: MutatedRequest): string {
  return String(body["shared_payment_granted_token"]);
}

function isTest({ token }: MutatedRequest): boolean {
  return token.startsWith("svc_test_");
}

function forgetting(
  forgets: (request: MutatedRequest, first: { token: string; pack: unknown }) => boolean,
): Change {
  return () => {
    const firsts = new Map<string, { token: string; pack: unknown }>();
    return async (request) => {
      const { kind, token, body, send } = request;
      if (kind !== "purchase") return send();
      const paid = tokenOf(request);
      const first = firsts.get(paid);
      firsts.set(paid, first ?? { token, pack: body["pack_slug"] });
      if (first === undefined || !forgets(request, first)) return send();
      return send({
        body: { ...body, shared_payment_granted_token: `spt_again-${paid.slice(4)}` },
      });
    };
  };
}

function addsLess(pack: string): Change {
  return patched(
    "purchase",
    ({ pack_slug: slug, credits_added: added }, request, { notes: known, addCredits }) => {
      const token = tokenOf(request);
      const less = Math.ceil(Number(added) / 10);
      const hasOutcome = /^spt_[a-z]+_/.test(token);
      if (slug !== pack || isTest(request) || hasOutcome || less === 0) return undefined;
      if (!known.has(token)) addCredits(request.token, -less);
      known.add(token);
      return { credits_added: Number(added) - less };
    },
  );
}

export const purchaseMutants = mutants({
  ...Object.fromEntries(
    ["demo", "starter", "pro", "scale", "enterprise"].map((pack) => [
      `packs.${pack}: adds too few credits for the pack ${pack}`,
      addsLess(pack),
    ]),
  ),
  "purchase.granted-at-once: adds the credits of a purchase an hour later": patched(
    "purchase",
    ({ credits_added: added }, request, upstream) => {
      const { mock, notes: known, addCredits } = upstream;
      const { token } = request;
      if (isTest(request) || known.has(tokenOf(request))) return undefined;
      known.add(tokenOf(request));
      addCredits(token, -Number(added));
      mock.clock.setTimeout(() => addCredits(token, Number(added)), 3_600_000);
      return undefined;
    },
  ),
  "purchase.response.credits-added: reports one credit more than it added": patched(
    "purchase",
    ({ credits_added: added }, request) =>
      isTest(request) || added === 0 ? undefined : { credits_added: Number(added) + 1 },
  ),
  "purchase.response.credits-remaining: reports the balance before the purchase": patched(
    "purchase",
    ({ credits_remaining: left, credits_added: added }, request) =>
      isTest(request) ? undefined : { credits_remaining: Number(left) - Number(added) },
  ),
  "purchase.response.pack: reports another pack": patched("purchase", { pack_slug: "demo" }),
  "packs.prices: has another price of a pack in the discovery document": responses(
    async (response, { kind }) => {
      if (kind !== "discovery") return undefined;
      const text = (await response.text()).replace('"price_usd":99', '"price_usd":89');
      return new Response(text, { headers: response.headers });
    },
  ),
  "purchase.repeat.granted-once, purchase.repeat.same-payment: adds credits again for a repeated purchase":
    forgetting((request, { token, pack }) => {
      return request.token === token && request.body["pack_slug"] === pack;
    }),
  "purchase.repeat.other-pack, purchase.repeat.other-pack.granted-once: sells another pack for a used token":
    forgetting((request, { token, pack }) => {
      return request.token === token && request.body["pack_slug"] !== pack;
    }),
  "purchase.repeat.other-key: takes a token that another key has used": forgetting(
    (request, { token }) => request.token !== token,
  ),
  "purchase.repeat.granted-once: adds credits again for a repeated purchase with the same payment":
    patched("purchase", (_fields, request, { notes: paid, addCredits }) => {
      if (isTest(request)) return undefined;
      if (paid.has(tokenOf(request))) addCredits(request.token, 100);
      paid.add(tokenOf(request));
      return undefined;
    }),
  "purchase.repeat.same-payment: has another payment id for a repeated purchase": patched(
    "purchase",
    (_fields, request, { notes: paid }) => {
      const isRepeated = paid.has(tokenOf(request)) && !isTest(request);
      paid.add(tokenOf(request));
      return isRepeated ? { payment_intent_id: "pi_another" } : undefined;
    },
  ),
  "purchase.payment-failed.nothing-granted: adds half of a pack for a declined payment": responses(
    ({ status }, { kind, token }, { addCredits }) => {
      if (kind === "purchase" && status === 402) addCredits(token, 50);
      return undefined;
    },
  ),
  "purchase.processing: adds credits for a payment that is processing": patched(
    "purchase",
    ({ status }, { token }, { addCredits }) => {
      if (status === "processing") addCredits(token, 100);
      return undefined;
    },
  ),
  "purchase.requires-action: reports processing for a payment that requires an action": patched(
    "purchase",
    { status: "requires_action" },
    { status: "processing" },
  ),
  "purchase.pending.credits-added: reports added credits for a payment that is processing": patched(
    "purchase",
    { status: "processing" },
    { credits_added: 100 },
  ),
  "purchase.requires-action.next-action: omits the required action of a purchase": patched(
    "purchase",
    { status: "requires_action" },
    { next_action: null },
  ),
  "purchase.other-status: reports succeeded for a canceled payment": patched(
    "purchase",
    { status: "canceled" },
    { status: "succeeded" },
  ),
  "purchase.pending.settled: adds no credits for a late payment":
    () =>
    async ({ path, send }) =>
      settledId(path) === undefined ? send() : Response.json({}),
  "purchase.pending.settled-once: adds credits for each report of a payment": ({
    notes: settled,
    addCredits,
  }) => {
    const owners = new Map<unknown, string>();
    return async ({ kind, path, token, send }) => {
      const response = await send();
      if (kind === "purchase") {
        owners.set((await fieldsIn(response))["payment_intent_id"], token);
      }
      const id = settledId(path);
      if (id === undefined) return response;
      if (settled.has(id)) addCredits(owners.get(id) ?? "", 100);
      settled.add(id);
      return response;
    };
  },
  "purchase.notification.signature: accepts a forged payment notification":
    ({ mock }) =>
    async ({ path, text, send }) => {
      if (path !== "/api/webhooks/payments") return send();
      await mock.settlePayment(/"id":"(pi_\w+)"/.exec(text)?.[1] ?? "");
      return Response.json({ received: true });
    },
  "purchase.test-key.succeeds: sends purchases with a test key to the processor":
    () => async (request) => {
      const isDeclined = tokenOf(request).startsWith("spt_declined_") && isTest(request);
      return isDeclined ? refusal(402) : request.send();
    },
  "purchase.test-key.nothing-granted: adds credits for a purchase with a test key": patched(
    "purchase",
    (_fields, request, { addCredits }) => {
      if (isTest(request)) addCredits(request.token, 100);
      return undefined;
    },
  ),
  "purchase.test-key.credits-added: reports another number of credits for a purchase with a test key":
    patched("purchase", (_fields, request) => (isTest(request) ? { credits_added: 1 } : undefined)),
  "purchase.unknown-pack: sells the pack demo for an unknown pack": sent(
    purchasePath,
    { pack_slug: "no-such-pack" },
    { pack_slug: "demo" },
  ),
  "purchase.foreign-token: takes a token of any kind": sent(
    purchasePath,
    ({ shared_payment_granted_token: token }) =>
      typeof token === "string" && token.startsWith("tok")
        ? { shared_payment_granted_token: `spt_${token}` }
        : undefined,
  ),
  "purchase.token-length: takes tokens of at most 199 characters":
    () =>
    async ({ body, send }) =>
      String(body["shared_payment_granted_token"]).length === 200 ? validationError() : send(),
  "purchase.missing-field: sells the pack demo without a pack in the request": sent(
    purchasePath,
    { pack_slug: undefined },
    { pack_slug: "demo" },
  ),
  "purchase.payment-failed: responds with 409 to a payment without funds": responses(
    ({ status }, { text }) =>
      status === 402 && text.includes("spt_insufficient_funds_") ? refusal(409) : undefined,
  ),
  "purchase.response.credits-added: reports the credits of all purchases of a key": () => {
    const sums = new Map<string, number>();
    return async (request) => {
      const response = await request.send();
      const { credits_added: added } = await fieldsIn(response);
      if (request.kind !== "purchase" || isTest(request) || !added) return response;
      const sum = (sums.get(request.token) ?? 0) + Number(added);
      sums.set(request.token, sum);
      return rewritten(response, { fields: { credits_added: sum } });
    };
  },
  "purchase.no-card-data: returns the card of a payment": patched("purchase", {
    card: { last4: "4242" },
  }),
});

function settledId(path: string): string | undefined {
  return /^\/__mock\/payments\/([^/]+)\/settle$/.exec(path)?.[1];
}

function validationError(): Response {
  const detail = [{ loc: ["body"], msg: "Value error", type: "value_error" }];
  return Response.json({ detail }, { status: 422 });
}
