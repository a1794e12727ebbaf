import type { NodeRequest } from "../verification/body.ts";
import type { ReceiverResponse } from "../receiver/response.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import { createDeliveryHandler } from "../receiver/delivery-handler.ts";

/** A request of Node or of a framework on it, with its method. */
export interface IncomingRequest extends NodeRequest {
  readonly method?: string | undefined;
}

/** A response of Node or of a framework on it, as far as it is used here. */
export interface OutgoingResponse {
  /** The status that is sent with the headers. */
  statusCode: number;
  /** Whether something has answered. */
  readonly headersSent: boolean;
  /** Sets one header of the answer. */
  setHeader(name: string, value: string): unknown;
  /** Ends the answer without a body. */
  end(): unknown;
  /** Ends the answer with its body. */
  end(body: string): unknown;
}

/** What takes a request of Node and answers it. It never rejects. */
export type NodeReceiver = (request: IncomingRequest, response: OutgoingResponse) => Promise<void>;

/** A receiver for whatever hands over the request and response of Node. */
export function createNodeReceiver(options: ReceiverOptions, rawBodyFix: string): NodeReceiver {
  const receive = createDeliveryHandler(options, rawBodyFix);
  return async (request, response) => {
    const { method, headers } = request;
    const answer = closing(request, await receive({ method, headers, body: request }));
    // Something else, e.g. a limit of time, may have answered meanwhile.
    if (response.headersSent) return;
    response.statusCode = answer.status;
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    if (answer.body === null) response.end();
    else response.end(answer.body);
  };
}

/** What tells how much of a request is still to come: fields of `http.IncomingMessage`. */
interface Arrival {
  readonly headers: NodeRequest["headers"];
  readonly complete?: unknown;
  readonly httpVersionMajor?: unknown;
}

/** A rest of a body, in bytes, that is read and thrown away sooner than a connection is made anew. */
const shortRest = 65_536;

/**
 * Has the connection closed behind an answer that comes before the end of a long body. Node would
 * otherwise read on, to the end of a body that may have none, so as to find the next request, or
 * leave the connection as it is. HTTP/2 has streams for that, and forbids the header.
 */
export function closing(request: object, answer: ReceiverResponse): ReceiverResponse {
  // Where a test or a cloud makes requests up, they lack these fields, and nothing is closed.
  const { headers, complete, httpVersionMajor } = request as Arrival;
  if (complete !== false || httpVersionMajor === 2) return answer;
  if (Number(headers["content-length"]) <= shortRest) return answer;
  return { ...answer, headers: { ...answer.headers, connection: "close" } };
}
