import type { Mutant } from "../mutant.ts";
import {
  buys,
  fieldsIn,
  miscounted,
  refusal,
  rewritten,
  tampered,
  type Books,
  type TamperedCall,
} from "../tampering.ts";
import type { Fields } from "../../../src/wire/response.ts";

const section = "Endpoints / POST /api/v1/credits/purchase";

/** Makes a mutant that changes responses to purchases. */
function answering(
  name: string,
  expected: readonly string[],
  change: (fields: Fields, call: TamperedCall, books: Books) => Fields | undefined,
): Mutant {
  return {
    name,
    section,
    expected,
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (!buys(call) || response.status !== 200) return response;
        const fields = change(await fieldsIn(response), call, books);
        return fields === undefined ? response : rewritten(response, { fields });
      }),
  };
}

function tokenOf({ body }: TamperedCall): string {
  return String(body["shared_payment_granted_token"]);
}

function isTest({ token }: TamperedCall): boolean {
  return token.startsWith("svc_test_");
}

/** Makes a mutant that repeats purchases under another token, so that the server makes new ones. */
function forgetting(
  name: string,
  expected: readonly string[],
  forgets: (call: TamperedCall, first: { token: string; pack: unknown }) => boolean,
): Mutant {
  return {
    name,
    section,
    expected,
    plant: (mock) => {
      const firsts = new Map<string, { token: string; pack: unknown }>();
      return tampered(mock, async (call) => {
        if (!buys(call)) return call.send();
        const paid = tokenOf(call);
        const first = firsts.get(paid);
        firsts.set(paid, first ?? { token: call.token, pack: call.body["pack_slug"] });
        if (first === undefined || !forgets(call, first)) return call.send();
        const another = `spt_again-${paid.slice(4)}`;
        return call.send({ body: { ...call.body, shared_payment_granted_token: another } });
      });
    },
  };
}

/** Mutants in purchases. */
export const purchaseMutants: readonly Mutant[] = [
  {
    name: "adds the credits of a purchase an hour later",
    section,
    expected: ["purchase.granted-at-once"],
    plant: (mock) => {
      const known = new Set<string>();
      return miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (!buys(call) || response.status !== 200 || isTest(call)) return response;
        if (known.has(tokenOf(call))) return response;
        known.add(tokenOf(call));
        const { credits_added: added } = await fieldsIn(response);
        const { token } = call;
        books.add(token, -Number(added));
        mock.clock.setTimeout(() => books.add(token, Number(added)), 3_600_000);
        return response;
      });
    },
  },
  answering(
    "reports one credit more than it added",
    ["purchase.response.credits-added"],
    (fields, call) =>
      isTest(call) || fields["credits_added"] === 0
        ? undefined
        : { credits_added: Number(fields["credits_added"]) + 1 },
  ),
  answering(
    "reports the balance before the purchase",
    ["purchase.response.credits-remaining"],
    ({ credits_remaining: left, credits_added: added }, call) =>
      isTest(call) ? undefined : { credits_remaining: Number(left) - Number(added) },
  ),
  answering("reports another pack", ["purchase.response.pack"], () => ({
    pack_slug: "demo",
  })),
  ...["demo", "starter", "pro", "scale", "enterprise"].map(lean),
  {
    name: "has another price of a pack in the discovery document",
    section: "Credit packs",
    expected: ["packs.prices"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        if (call.path !== "/api/discovery") return response;
        const text = (await response.text()).replace('"price_usd":99', '"price_usd":89');
        return new Response(text, { headers: response.headers });
      }),
  },
  forgetting(
    "adds credits again for a repeated purchase",
    ["purchase.repeat.granted-once", "purchase.repeat.same-payment"],
    (call, { token, pack }) => call.token === token && call.body["pack_slug"] === pack,
  ),
  forgetting(
    "sells another pack for a used token",
    ["purchase.repeat.other-pack"],
    (call, { token, pack }) => call.token === token && call.body["pack_slug"] !== pack,
  ),
  forgetting(
    "takes a token that another key has used",
    ["purchase.repeat.other-key"],
    (call, { token }) => call.token !== token,
  ),
  {
    name: "adds credits again for a repeated purchase with the same payment",
    section,
    expected: ["purchase.repeat.granted-once"],
    plant: (mock) => {
      const paid = new Set<string>();
      return miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (!buys(call) || response.status !== 200 || isTest(call)) return response;
        if (paid.has(tokenOf(call))) books.add(call.token, 100);
        paid.add(tokenOf(call));
        return response;
      });
    },
  },
  answering(
    "has another payment id for a repeated purchase",
    ["purchase.repeat.same-payment"],
    repeatedly(() => ({ payment_intent_id: "pi_another" })),
  ),
  {
    name: "adds half of a pack for a declined payment",
    section: "Errors",
    expected: ["purchase.payment-failed.nothing-granted"],
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (buys(call) && response.status === 402) books.add(call.token, 50);
        return response;
      }),
  },
  answering(
    "adds credits for a payment that is processing",
    ["purchase.processing"],
    ({ status }, call, books) => {
      if (status === "processing") books.add(call.token, 100);
      return undefined;
    },
  ),
  answering(
    "reports processing for a payment that requires an action",
    ["purchase.requires-action"],
    ({ status }) => (status === "requires_action" ? { status: "processing" } : undefined),
  ),
  answering(
    "reports added credits for a payment that is processing",
    ["purchase.pending.credits-added"],
    ({ status }) => (status === "processing" ? { credits_added: 100 } : undefined),
  ),
  answering(
    "omits the required action of a purchase",
    ["purchase.requires-action.next-action"],
    ({ status }) => (status === "requires_action" ? { next_action: null } : undefined),
  ),
  answering("reports succeeded for a canceled payment", ["purchase.other-status"], ({ status }) =>
    status === "canceled" ? { status: "succeeded" } : undefined,
  ),
  {
    name: "adds no credits for a late payment",
    section: "Events",
    expected: ["purchase.pending.settled"],
    plant: settling(() => "not at all"),
  },
  {
    name: "adds credits for each report of a payment",
    section: "Events",
    expected: ["purchase.pending.settled-once"],
    plant: settling((reports) => (reports === 1 ? "as ever" : "again")),
  },
  {
    name: "accepts a forged payment notification",
    section: "Events",
    expected: ["purchase.notification.signature"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        if (call.path !== "/api/webhooks/payments") return call.send();
        const id = /"id":"(pi_\w+)"/.exec(call.text)?.[1] ?? "";
        await mock.settlePayment(id);
        return Response.json({ received: true });
      }),
  },
  {
    name: "sends purchases with a test key to the processor",
    section,
    expected: ["purchase.test-key.succeeds"],
    plant: (mock) =>
      tampered(mock, async (call) =>
        buys(call) && isTest(call) && tokenOf(call).startsWith("spt_declined_")
          ? refusal(402)
          : call.send(),
      ),
  },
  answering(
    "adds credits for a purchase with a test key",
    ["purchase.test-key.nothing-granted"],
    (_fields, call, books) => {
      if (isTest(call)) books.add(call.token, 100);
      return undefined;
    },
  ),
  answering(
    "reports another number of credits for a purchase with a test key",
    ["purchase.test-key.credits-added"],
    (_fields, call) => (isTest(call) ? { credits_added: 1 } : undefined),
  ),
];

/** Changes every response with a token but the first. */
function repeatedly(
  change: () => Fields,
): (fields: Fields, call: TamperedCall) => Fields | undefined {
  const known = new Set<string>();
  return (_fields, call) => {
    const again = known.has(tokenOf(call)) && !isTest(call);
    known.add(tokenOf(call));
    return again ? change() : undefined;
  };
}

/** Makes a mutant that adds a tenth less for a pack. */
function lean(pack: string): Mutant {
  const known = new Set<string>();
  return answering(
    `adds too few credits for the pack ${pack}`,
    [`packs.${pack}`],
    ({ pack_slug: slug, credits_added: added }, call, books) => {
      const token = tokenOf(call);
      const less = Math.ceil(Number(added) / 10);
      const toProcessor = /^spt_[a-z]+_/.test(token);
      if (slug !== pack || isTest(call) || toProcessor || less === 0) return undefined;
      if (!known.has(token)) books.add(call.token, -less);
      known.add(token);
      return { credits_added: Number(added) - less };
    },
  );
}

/** Ignores or repeats reports of the payment processor. */
function settling(of: (reports: number) => "as ever" | "not at all" | "again"): Mutant["plant"] {
  return (mock) => {
    const owners = new Map<string, string>();
    const reports = new Map<string, number>();
    return miscounted(mock, async (call, books) => {
      const [, id = ""] = /^\/__mock\/payments\/([^/]+)\/settle$/.exec(call.path) ?? [];
      if (id === "") {
        const response = await call.send();
        if (buys(call)) {
          owners.set(String((await fieldsIn(response))["payment_intent_id"]), call.token);
        }
        return response;
      }
      const count = (reports.get(id) ?? 0) + 1;
      reports.set(id, count);
      const what = of(count);
      if (what === "not at all") return Response.json({});
      if (what === "again") books.add(owners.get(id) ?? "", 100);
      return call.send();
    });
  };
}
