/** What a receiver of webhooks got. */
export interface Received {
  readonly request: Request;
  readonly bytes: Uint8Array;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: number;
}

export type ReceiverAnswer = (attempt: number) => Response | Promise<Response>;

/**
 * Stands in for the network between the server and whoever receives its webhooks.
 *
 * @param answer what the receiver says to its first, second, … request.
 */
export function receiver(answer: ReceiverAnswer = () => new Response(null, { status: 204 })) {
  const received: Received[] = [];
  let watched: { now(): number } | undefined;
  /** Notes the time of each request on this clock. */
  const watch = (clock: { now(): number }): void => {
    watched = clock;
  };
  const send = async (request: Request): Promise<Response> => {
    const at = watched?.now() ?? 0;
    const bytes = new Uint8Array(await request.clone().arrayBuffer());
    // A webhook's body is an object of JSON, or the test fails here.
    const body = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    received.push({ request, bytes, body, at });
    return answer(received.length);
  };
  return { received, watch, send };
}
