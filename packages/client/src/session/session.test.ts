import { expect, test } from "vitest";

import { createTryOnSession, resetAll } from "./index.ts";
import { createService, failure } from "../../test/service.ts";

test("is idle on a server, and does nothing until it is started", async () => {
  const { client, sent } = createService();
  const session = createTryOnSession(client());
  const states: string[] = [];
  const unsubscribe = session.subscribe(() => states.push(session.getSnapshot().status));
  session.cancelWait();
  await session.resume();
  expect(session.getSnapshot()).toBe(session.getSnapshot());
  expect([session.getSnapshot(), states, sent]).toEqual([{ status: "idle" }, [], []]);
  unsubscribe();
  session.close();
});

test("sends a new try-on with a timeout beyond the idempotency window", async () => {
  const { client, sent, mock } = createService();
  const session = createTryOnSession(client(), { timeout: "1h" });
  await mock.clock.runUntil(
    session.start({ person: "https://a.example/me.jpg", garments: ["https://a.example/a.png"] }),
  );
  expect(session.getSnapshot()).toMatchObject({ status: "succeeded", isSaved: false });
  expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("has nothing to reset on a server", async () => {
  await expect(resetAll()).resolves.toBeUndefined();
});

test.each<[string, object, string]>([
  [
    "unknown",
    { storage: "local" },
    "storage is not an option of createTryOnSession. Use one of: name, user, prepare, timeout, maxAge.",
  ],
  ["timeout", { timeout: "soon" }, 'timeout must be a positive duration, such as "3m".'],
  ["user", { user: "" }, "user must be the id of the user, or undefined without one."],
  ["user", { user: 7 }, "user must be the id of the user, or undefined without one."],
  ["maxAge", { maxAge: 0 }, 'maxAge must be a positive duration, such as "3m".'],
])("rejects an invalid option: %s", async (_option, options, message) => {
  const { client } = createService();
  const create = async () => createTryOnSession(client(), options);
  expect(await failure(create())).toMatchObject({ code: "invalid_input", message });
});
