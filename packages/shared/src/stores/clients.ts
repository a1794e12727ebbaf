/** Client of `@redis/client` or `redis`, or a cluster or pool of it. */
export interface NodeRedisClient {
  /** Runs a Lua script by its SHA-1. Without this method, each call sends the script. */
  evalSha?(
    sha1: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
  /** Runs a Lua script. */
  eval(
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
}

/** Client of `ioredis`, or a cluster of it. */
export interface IoRedisClient {
  /** Only `ioredis` has this method. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** Runs a Lua script. */
  eval(script: string, keyCount: number, ...args: string[]): Promise<unknown>;
}

/** Connected client of `redis`, `@redis/client` or `ioredis`. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** Pool or client of `pg`, or any object with the same `query`. */
export interface PostgresClient {
  /** Runs a statement with the values of `$1` and so on. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Database of `node:sqlite` (`DatabaseSync`) or `better-sqlite3`. */
export interface SqliteDatabase {
  /** Runs a statement. */
  exec(sql: string): unknown;
  /** Prepares a statement with a `?` for each value. */
  prepare(sql: string): SqliteStatement;
}

/** Prepared statement of a {@link SqliteDatabase}. */
export interface SqliteStatement {
  /** Runs the statement and returns all rows. */
  all(...values: (string | number)[]): readonly unknown[];
}
