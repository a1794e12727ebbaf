import { expect, onTestFinished, test, vi } from "vitest";

import { processGroupOf } from "./process-group.ts";

function recordKills() {
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  return kill.mock.calls;
}

test("a command away from a terminal leads a group, and each signal goes to the whole of it", () => {
  const calls = recordKills();
  const group = processGroupOf("linux", false);
  expect([group.ownGroup, group.target(12)]).toEqual([true, -12]);
  group.forward(12, "SIGINT");
  group.forward(12, "SIGTERM");
  expect(calls).toEqual([
    [-12, "SIGINT"],
    [-12, "SIGTERM"],
  ]);
});

test("a command at a terminal stays in its group, and gets Ctrl+C from it alone", async () => {
  const calls = recordKills();
  const group = processGroupOf("linux", true);
  expect([group.ownGroup, group.target(12)]).toEqual([false, 12]);
  group.forward(12, "SIGINT");
  group.forward(12, "SIGHUP");
  await group.clear(12);
  expect(calls).toEqual([[12, "SIGHUP"]]);
});

test("a system without process groups gets signals for the command alone", () => {
  const calls = recordKills();
  const group = processGroupOf("win32", false);
  expect(group.ownGroup).toBe(false);
  group.forward(12, "SIGINT");
  expect(calls).toEqual([[12, "SIGINT"]]);
});
