/** Everything outside of itself that the command touches. */
export interface CliContext {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: (request: Request) => Promise<Response>;
  /** A clock that only goes forward, in milliseconds. */
  readonly elapsed: () => number;
}
