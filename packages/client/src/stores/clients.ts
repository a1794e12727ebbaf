/** Client of `@redis/client` or `redis`, or a cluster or pool of it. */
interface NodeRedisClient {
  eval(
    script: string,
    options: { readonly keys: string[]; readonly arguments: string[] },
  ): Promise<unknown>;
}

/** Client of `ioredis`, or a cluster of it. */
interface IoRedisClient {
  /** Only `ioredis` has this method. */
  call(command: string, ...args: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: string[]): Promise<unknown>;
}

/** Connected client of `redis`, `@redis/client` or `ioredis`. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** Pool or client of `pg`, or any object with the same `query`. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Database of `node:sqlite` (`DatabaseSync`) or `better-sqlite3`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** Prepared statement of a {@link SqliteDatabase}. */
export interface SqliteStatement {
  run(...values: (string | number | null)[]): unknown;
  get(...values: (string | number | null)[]): unknown;
  all(...values: (string | number | null)[]): readonly unknown[];
  iterate(...values: (string | number | null)[]): Iterable<unknown>;
}

/** Runs a Lua script in Redis, as one atomic step. */
export function runRedisScript(
  client: RedisClient,
  script: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  return "call" in client
    ? client.eval(script, keys.length, ...keys, ...args)
    : client.eval(script, { keys: [...keys], arguments: [...args] });
}
