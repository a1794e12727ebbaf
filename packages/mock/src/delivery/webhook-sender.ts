/** Function that sends one webhook, like the global `fetch`. */
export type SendWebhook = (request: Request) => Promise<Response>;

// Registered globally, because each CommonJS file of the package has its own copy of this module.
const redirect = Symbol.for("@tryon/mock/redirect-webhooks");

/** Sends the webhooks of a server. */
export class WebhookSender {
  readonly #isFixed: boolean;
  #send: SendWebhook;

  /**
   * @param custom function of the user, which cannot be replaced.
   * @param fallback function to use without it.
   */
  constructor(custom: SendWebhook | undefined, fallback: SendWebhook) {
    this.#isFixed = custom !== undefined;
    this.#send = custom ?? fallback;
  }

  send(request: Request): Promise<Response> {
    return this.#send(request);
  }

  /** Lets `redirectWebhooks` replace the function of a server. */
  attachTo<Server extends object>(server: Server): Server {
    const replace = (send: SendWebhook): void => {
      if (!this.#isFixed) this.#send = send;
    };
    return Object.assign(server, { [redirect]: replace });
  }
}

/** Makes a server send its webhooks by another function, unless its user supplied one. */
export function redirectWebhooks(server: object, send: SendWebhook): void {
  const replace: unknown = Reflect.get(server, redirect);
  if (typeof replace === "function") replace(send);
}
