/** A function like the global `fetch` for one request that is a webhook. */
export type SendWebhook = (request: Request) => Promise<Response>;

/**
 * Under this name a server lets itself be told another way out for its webhooks. The name is registered because the
 * CommonJS files of the package each hold a copy of this module.
 */
const wayOut = Symbol.for("@tryon/mock/webhook-way-out");

/** How a server's webhooks leave the process. */
export class WebhookSender {
  readonly #chosen: boolean;
  #send: SendWebhook;

  /**
   * @param chosen the function that the user gave; it cannot be replaced.
   * @param usual what sends when the user gave none.
   */
  constructor(chosen: SendWebhook | undefined, usual: SendWebhook) {
    this.#chosen = chosen !== undefined;
    this.#send = chosen ?? usual;
  }

  send(request: Request): Promise<Response> {
    return this.#send(request);
  }

  /** Puts up the sign that `redirectWebhooks` looks for. */
  attachTo<Server extends object>(server: Server): Server {
    const replace = (send: SendWebhook): void => {
      if (!this.#chosen) this.#send = send;
    };
    return Object.assign(server, { [wayOut]: replace });
  }
}

/** Sends the server's webhooks by another function from now on, unless its user chose one. */
export function redirectWebhooks(server: object, send: SendWebhook): void {
  const replace: unknown = Reflect.get(server, wayOut);
  if (typeof replace === "function") replace(send);
}
