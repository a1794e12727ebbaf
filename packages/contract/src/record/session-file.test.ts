import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { newFile } from "../../test/files.ts";
import { recorder } from "./recorder.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

function setUp() {
  const other = newFile("mine", "other");
  chmodSync(other, 0o644);
  const folder = dirname(other);
  return { other, session: join(folder, "session"), list: () => readdirSync(folder).toSorted() };
}

async function recordCall(file: string): Promise<void> {
  const errors: unknown[] = [];
  const record = recorder({ file, sample: 1, onError: (error) => errors.push(error) });
  const mock = createMock();
  const response = await record(new Request(`${mock.baseUrl}/api/discovery`), (one) =>
    mock.fetch(one),
  );
  expect(response.status).toBe(200);
  await record.flush();
  for (const error of errors) throw error;
}

async function recordProxied(output: string): Promise<void> {
  const proxy = await startRecordingProxy({ upstream: "http://127.0.0.1:9", output, port: 0 });
  await fetch(`${proxy.url}/api/v1/packs`).catch(() => undefined);
  await proxy.stop();
}

const recorders = [
  ["recorder", recordCall],
  ["the recording proxy", recordProxied],
] as const;

test.each(recorders)("%s makes an earlier session private", async (_, record) => {
  const { session, list } = setUp();
  writeFileSync(session, "");
  chmodSync(session, 0o666);
  await record(session);
  expect(readFileSync(session, "utf8").match(/\n/g)).toHaveLength(1);
  expect(statSync(session).mode % 0o1000).toBe(0o600);
  expect(list()).toEqual(["other", "session"]);
});

test.each(recorders)("%s does not write to a file of another name", async (_, record) => {
  for (const make of [symlinkSync, linkSync, (_other: string, path: string) => mkdirSync(path)]) {
    const { session, other, list } = setUp();
    make(other, session);
    const before = lstatSync(session);
    await expect(record(session)).rejects.toThrow(/is not a regular file|ELOOP|EISDIR/);
    expect([lstatSync(session).ino, readFileSync(other, "utf8")]).toEqual([before.ino, "mine"]);
    expect(statSync(other).mode % 0o1000).toBe(0o644);
    expect(list()).toEqual(["other", "session"]);
  }
});
