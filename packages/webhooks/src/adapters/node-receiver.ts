import {
  createDeliveryHandler,
  withEvents,
  type ReceiverResponse,
} from "../receiver/delivery-handler.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import type { Framework } from "../receiver/raw-body-fixes.ts";
import type { NodeRequest } from "../verification/body.ts";

/** Request of Node, or of a framework on Node, with its method. */
export interface IncomingRequest extends NodeRequest {
  readonly method?: string | undefined;
}

/** Fields of a response of Node, or of a framework on Node, that the receiver uses. */
export interface OutgoingResponse {
  /** Status that is sent with the headers. */
  statusCode: number;
  /** If true, a response was sent. */
  readonly headersSent: boolean;
  /** Sets one header. */
  setHeader(name: string, value: string): unknown;
  /** Ends the response without a body. */
  end(): unknown;
  /** Ends the response with its body. */
  end(body: string): unknown;
}

/** Handler that responds to a Node request. It never rejects. */
export type NodeReceiver = (request: IncomingRequest, response: OutgoingResponse) => Promise<void>;

export function createNodeReceiver(
  options: ReceiverOptions,
  fixes: readonly Framework[],
): NodeReceiver {
  const receive = createDeliveryHandler(options, fixes);
  const receiver: NodeReceiver = async (request, response) => {
    const { method, headers } = request;
    const delivery = { method, headers, body: request };
    const { status, headers: fields, body } = closeIfUnread(request, await receive(delivery));
    // Other code, e.g. a timeout, may have sent a response.
    if (response.headersSent) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
    if (body === null) response.end();
    else response.end(body);
  };
  return withEvents(receive, receiver);
}

/** Length of a body that Node reads to its end faster than it opens a new connection, in bytes. */
const shortBody = 65_536;

/**
 * Adds `connection: close` to a response before the end of a long body. Otherwise Node would read
 * the whole body to find the next request. HTTP/2 has streams for that and forbids the header.
 */
export function closeIfUnread(request: object, response: ReceiverResponse): ReceiverResponse {
  // Requests that tests or cloud platforms create have no `complete` and no version.
  const { headers, complete, httpVersionMajor } = request as NodeRequest & {
    readonly complete?: unknown;
    readonly httpVersionMajor?: unknown;
  };
  if (complete !== false || httpVersionMajor === 2) return response;
  if (Number(headers["content-length"]) <= shortBody) return response;
  return { ...response, headers: { ...response.headers, connection: "close" } };
}
