/** A piece of a body. A body is all of its pieces, one after the other. */
export type BodyPart =
  | { readonly utf8: string }
  | { readonly base64: string }
  | { readonly repeat: string; readonly count: number };

export type Expected =
  | {
      readonly ok: true;
      readonly secretIndex: number;
      readonly event: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly code: string };

/** One delivery and its expected outcome, a case of `webhooks.json`. */
export interface WebhookVector {
  readonly id: string;
  readonly name: string;
  /** `null` is a secret that is not set. */
  readonly secrets: ReadonlyArray<string | null>;
  readonly body: readonly BodyPart[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Positions at which a streamed body is cut. A position that comes twice cuts an empty chunk. */
  readonly chunks?: readonly number[];
  readonly settings?: {
    readonly maxBodyBytes?: number;
    readonly maxAge?: number;
    readonly now?: number;
  };
  readonly expected: Expected;
}
