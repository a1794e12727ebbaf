import { lstatSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { ensurePrivateFile, makePrivate } from "@tryon/shared/private-file";

import type { MockStore, SavedRecord } from "../store/state-log.ts";

/** Number in the header of the file that marks it as the state of a reference server. */
const applicationId = 0x74_72_79_6f;

/** Version 1 had the bytes of stock images, which still can be read. */
const version = 2;

const tables = `
  CREATE TABLE records (
    kind TEXT, sequence INTEGER, id TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (kind, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE images (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${version};
`;

/**
 * Creates a store in a SQLite file, which is created if it is missing. One server at a time can use a file. Changes are on
 * disk before the server responds, so they survive the end of the process; a power failure can lose the latest.
 *
 * Needs `node:sqlite`: Node 22.13 or later, or Deno. The file has API keys, webhook secrets and result images, and none of
 * the submitted images. Only its owner can read it. A link is an error.
 *
 * @param file path of the file, such as `"state.db"`.
 * @throws Error if the file cannot be opened, another server uses it, or it is not a state file. The message has the fix.
 * @example
 * ```ts
 * import { createMock } from "@tryon/mock";
 * import { createSqliteStore } from "@tryon/mock/node";
 *
 * const mock = createMock({ store: createSqliteStore("state.db") });
 * mock.close();
 * ```
 */
export function createSqliteStore(file: string): MockStore {
  const database = open(file);
  const readRecords = database.prepare("SELECT * FROM records ORDER BY kind, sequence");
  const readImage = database.prepare("SELECT bytes FROM images WHERE id = ?");
  const put = database.prepare("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM records WHERE kind = ? AND sequence = ?");
  const removeImage = database.prepare(
    "DELETE FROM images WHERE id = (SELECT record ->> '$.result.bytes' FROM records WHERE kind = ? AND sequence = ?)",
  );
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const putImage = database.prepare("INSERT INTO images (bytes) VALUES (?)");
  let saved = new WeakMap<Uint8Array, number>();

  const saveImage = (bytes: Uint8Array): number => {
    const known = saved.get(bytes);
    if (known !== undefined) return known;
    const id = Number(putImage.run(bytes).lastInsertRowid);
    saved.set(bytes, id);
    return id;
  };
  const write = (changes: readonly SavedRecord[]): void => {
    for (const { kind, id, sequence, record } of changes) {
      if (isPurged(record)) removeImage.run(kind, sequence);
      if (record === null) remove.run(kind, sequence);
      else
        put.run(
          kind,
          sequence,
          id,
          JSON.stringify(withResult(record, (bytes) => ({ bytes: saveImage(bytes) }))),
        );
    }
  };
  const atomically = (work: () => void): void => {
    begin.run();
    try {
      work();
      commit.run();
    } catch (error) {
      saved = new WeakMap();
      rollback(database);
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Cannot write the state file ${file}: ${reason}.`, { cause: error });
    }
  };
  let isUsed = false;
  let isOpen = true;
  return {
    *read() {
      if (isUsed) throw new Error("store: another server uses it; create a store for each server.");
      isUsed = true;
      const images = new Map<number, Uint8Array>();
      const loadImage = (id: number) => {
        const bytes = images.get(id) ?? readImage.get(id)?.["bytes"];
        if (!(bytes instanceof Uint8Array)) throw damaged(file);
        images.set(id, bytes);
        saved.set(bytes, id);
        // Version 1 did not write the length.
        return { bytes, length: bytes.length };
      };
      const texts = new Map<string, string>();
      for (const row of readRecords.iterate()) {
        // Written by this file, in the columns of its tables.
        const { kind, id, sequence, record } = row as unknown as SavedRecord & { record: string };
        yield {
          kind,
          id: texts.get(id) ?? id,
          sequence,
          record: withResult(shareTexts(parse(record, file), texts), loadImage),
        };
      }
    },
    write: (changes) => atomically(() => write(changes)),
    replace: (records) =>
      atomically(() => {
        database.exec("DELETE FROM records; DELETE FROM images");
        saved = new WeakMap();
        write(records);
      }),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

function rollback(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // After some errors, such as a full disk, SQLite has rolled back by itself.
  }
}

interface WithResult {
  readonly result?: { readonly bytes?: never; readonly fingerprint?: string } | null;
}

function isPurged(record: object | null): boolean {
  const { result } = Object(record) as WithResult;
  return Boolean(result) && result?.bytes === undefined && result?.fingerprint === undefined;
}

function withResult(record: object, replace: (bytes: never) => object): object {
  const { result } = record as WithResult;
  if (result?.bytes === undefined) return record;
  return { ...record, result: { ...result, ...replace(result.bytes) } };
}

/** Ids and origins are in many records. Each row of the file has its own copies of them. */
function shareTexts(record: object, texts: Map<string, string>): object {
  for (const [name, text] of Object.entries(record)) {
    if (typeof text !== "string") continue;
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    else Reflect.set(record, name, known);
  }
  return record;
}

function parse(record: string, file: string): object {
  try {
    return Object(JSON.parse(record)) as object;
  } catch {
    throw damaged(file);
  }
}

function open(file: string): DatabaseSync {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new Error("createSqliteStore needs node:sqlite, which Node has from 22.13 and Deno too.");
  }
  let database: DatabaseSync | undefined;
  try {
    ensurePrivateFile(file);
    for (const log of logsOf(file)) ensurePrivateFile(log);
    database = new sqlite.DatabaseSync(file);
    // The first access locks the file until it is closed.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL");
    // Most pages of the log are written many times, so it is copied into the file every 40 MB.
    database.exec(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000; BEGIN EXCLUSIVE",
    );
    if (isEmpty(database)) database.exec(tables);
    const { application_id: application } = Object(database.prepare("PRAGMA application_id").get());
    const { user_version: found } = Object(database.prepare("PRAGMA user_version").get());
    const isReadable = application === applicationId && (found === 1 || found === version);
    if (isReadable) database.exec(`PRAGMA user_version = ${version}`);
    database.exec("COMMIT");
    if (isReadable) {
      // SQLite creates its logs with the mode of the file, which an older file or a log of a killed server can lack.
      for (const path of [file, ...logsOf(file)]) makePrivate(path);
      return database;
    }
  } catch (error) {
    database?.close();
    throw openError(file, error);
  }
  database.close();
  throw new Error(
    `${file} is not a state file of this version of the reference server. Use another file.`,
  );
}

function logsOf(file: string): readonly string[] {
  const logs = ["-wal", "-journal"].map((end) => file + end);
  return logs.filter((log) => lstatSync(log, { throwIfNoEntry: false }) !== undefined);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function damaged(file: string): Error {
  return new Error(`${file} is damaged. Use another file, or delete it to begin with a new state.`);
}

function openError(file: string, error: unknown): Error {
  const { errcode, code, message } = Object(error) as {
    readonly errcode?: number;
    readonly code?: string;
    readonly message?: string;
  };
  const noFolder = "its folder does not exist or is read-only";
  const reasons: Readonly<Record<number | string, string>> = {
    5: "another server uses it. Stop that server, or use another file",
    14: noFolder,
    26: "it is not a SQLite database. Use another file",
    ELOOP: "it is a link, a folder or another special file. Use another file",
    ENOENT: noFolder,
    ENOTDIR: noFolder,
    EACCES: noFolder,
    EROFS: noFolder,
    EPERM: "it belongs to another user. Use another file",
  };
  const reason = reasons[(errcode ?? 0) & 0xff] ?? reasons[code ?? ""] ?? message;
  return new Error(`Cannot open the state file ${file}: ${reason}.`, { cause: error });
}
