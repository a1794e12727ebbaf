export type SendWebhook = (request: Request) => Promise<Response>;

// Registered globally, because each CommonJS file of the package has its own copy of this module.
const redirect = Symbol.for("@tryon/mock/redirect-webhooks");

/** Lets `redirectWebhooks` replace the function that sends the webhooks of a server. */
export function allowRedirect(server: object, replace: (send: SendWebhook) => void): void {
  Object.assign(server, { [redirect]: replace });
}

/** Makes a server send its webhooks by another function, unless its user supplied one. */
export function redirectWebhooks(server: object, send: SendWebhook): void {
  const replace: unknown = Reflect.get(server, redirect);
  if (typeof replace === "function") replace(send);
}
