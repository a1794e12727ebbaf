/** Images by their URLs, which the mock does not fetch. */
export const images = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;

/** A file that begins as a JPEG does. */
export const photo = new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]);

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
