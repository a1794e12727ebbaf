export interface ProgramContext {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Signs the webhooks of the key. */
  readonly webhookSecret: string;
  /** Path for a file that does not exist yet. */
  readonly file: string;
  /** Serves a handler with the server of the runtime, and returns its URL. Throws if the runtime has no server. */
  readonly listen: (handler: (request: Request) => Promise<Response>) => string;
}
