#!/usr/bin/env bash
# better-sqlite3 13.2.0: `PRAGMA journal_mode = WAL` does not wait for a write of another connection, although `timeout` is set.
#
# Expected: `timeout` (busy_timeout) holds for each statement, and `PRAGMA journal_mode` reads the mode of the file.
# What happens: an INSERT waits for the other write. The switch to WAL fails at once with "database is locked".
# A connection that has read the mode returns that mode until it reads a table, also after another one has set WAL.
# Why it matters: two workers of an app start together. One writes its first job, and the other one fails at its start.
# A check of the mode before the switch reads an old mode, so it proves nothing.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --no-audit --no-fund --ignore-scripts --silent better-sqlite3@13.2.0

cat > check.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

import Database from "better-sqlite3";

console.log(`better-sqlite3 ${JSON.parse(readFileSync("node_modules/better-sqlite3/package.json", "utf8")).version}`);
const mode = (database) => database.pragma("journal_mode", { simple: true });

for (const sql of ["INSERT INTO jobs VALUES (2)", "PRAGMA journal_mode = WAL"]) {
  const database = new Database("jobs.db", { timeout: 20_000 });
  database.exec("CREATE TABLE IF NOT EXISTS jobs (id)");
  const writer = new Worker(new URL("writer.mjs", import.meta.url)); // Writes, and commits three seconds later.
  const exit = once(writer, "exit");
  await once(writer, "message");
  let result = "done after the other write";
  try {
    database.exec(sql);
  } catch (error) {
    result = `"${error.message}"`;
  }
  await exit;
  console.log(`${sql}, timeout of ${database.pragma("busy_timeout", { simple: true })} ms: ${result}`);
  database.close();
}

const first = new Database("jobs.db");
const second = new Database("jobs.db");
console.log(`first connection: ${mode(first)}`);
console.log(`second connection sets ${second.pragma("journal_mode = WAL", { simple: true })}`);
console.log(`first connection: ${mode(first)}`);
first.prepare("SELECT count(*) FROM jobs").get();
console.log(`first connection after a SELECT: ${mode(first)}`);
PROGRAM

cat > writer.mjs <<'PROGRAM'
import { parentPort } from "node:worker_threads";

import Database from "better-sqlite3";

const database = new Database("jobs.db");
database.exec("BEGIN IMMEDIATE; INSERT INTO jobs VALUES (1)");
parentPort.postMessage("writes");
setTimeout(() => database.exec("COMMIT").close(), 3000);
PROGRAM

cat > expected.txt <<'OUTPUT'
better-sqlite3 13.2.0
INSERT INTO jobs VALUES (2), timeout of 20000 ms: done after the other write
PRAGMA journal_mode = WAL, timeout of 20000 ms: "database is locked"
first connection: delete
second connection sets wal
first connection: delete
first connection after a SELECT: wal
OUTPUT

npx --yes --package=node@24.21.0 -- node check.mjs | tee actual.txt
if diff expected.txt actual.txt; then
  echo "The behavior is as described."
else
  echo "The behavior has changed." >&2
  exit 1
fi
