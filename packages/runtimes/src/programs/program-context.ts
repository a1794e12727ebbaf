/** What a program is told of the server that it works against, and of the place where it runs. */
export interface ProgramContext {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Signs the webhooks of the key. */
  readonly webhookSecret: string;
  /** Where a file may be written; nothing is there yet. */
  readonly file: string;
  /** Serves a handler as the runtime does by itself, and gives its address; where it cannot, it throws. */
  readonly listen: (handler: (request: Request) => Promise<Response>) => string;
}
