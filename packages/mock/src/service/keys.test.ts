import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { createMock } from "../mock.ts";
import { Store } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { caller } from "../../test/caller.ts";

function setUp() {
  const store = new Store();
  const { service, system } = bareService({ store, engine: stockEngine() });
  const account = (id: string) => store.transact(({ accounts }) => accounts.get(id));
  return { service, keys: service.keys, now: system.clock.now(), account };
}

test.each([0, 40, 100_000_000])(
  "live default keys but the empty one start with %i credits, also after a reset",
  async (credits) => {
    const mock = createMock({ clock: "manual", credits });
    const balances = async () => {
      const { live, limited, disabled, empty, test: testKey } = mock.keys;
      const ledgers = [live, limited, disabled, empty, testKey].map((key) => mock.ledger(key));
      return (await Promise.all(ledgers)).map((ledger) => ledger?.balance);
    };
    const expected = [credits, credits, credits, 0, 0];
    expect(await balances()).toEqual(expected);
    await caller(mock).submit();
    await mock.reset();
    expect(await balances()).toEqual(expected);
  },
);

describe("a new key", () => {
  test("has its own account and secret, and its credits in the ledger", () => {
    const { service, keys, now, account } = setUp();
    const key = keys.create({ credits: 5 });
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_\w{16}$/),
      token: expect.stringMatching(/^svc_live_\w{32}$/),
      webhookSecret: expect.stringMatching(/^whsec_\w{32}$/),
      accountId: expect.stringMatching(/^acct_\w{16}$/),
    });
    expect(account(key.accountId)).toEqual({ id: key.accountId, state: "active" });
    const grant = { keyId: key.id, credits: 5, cause: "grant", at: now };
    expect(service.ledger(key.token)).toEqual({ entries: [grant], balance: 5 });
  });

  test("has a separate token", () => {
    const { keys } = setUp();
    const { token } = keys.create({});
    const message = "token is that of another key. Choose another one.";
    expect(() => keys.create({ token })).toThrow(message);
  });

  test("keeps a given secret", () => {
    expect(setUp().keys.create({ webhookSecret: "whsec_own" }).webhookSecret).toBe("whsec_own");
  });

  test("changes the state of its account only if it sets one", () => {
    const { keys, account } = setUp();
    const accountId = keys.openTenant();
    expect(accountId).toMatch(/^acct_\w{16}$/);
    keys.create({ accountId });
    expect(account(accountId)).toEqual({ id: accountId, state: "active", tenant: true });
    keys.create({ accountId, accountState: "flagged" });
    keys.create({ accountId });
    expect(account(accountId)).toEqual({ id: accountId, state: "flagged", tenant: true });
  });
});

test("a request without a key is not one with an unknown key", () => {
  const { keys } = setUp();
  expect(() => keys.admit(undefined)).toThrow("Missing API key");
  expect(() => keys.admit("svc_live_unknown")).toThrow("Invalid API key");
});
