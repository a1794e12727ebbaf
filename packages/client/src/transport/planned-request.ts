/**
 * What openapi-fetch makes in place of a `Request`: the request is built anew for each attempt, so nothing has to be
 * copied into an object that can be sent only once.
 */
export class PlannedRequest {
  /** Path and query: the base address is not known before the first request. */
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;

  constructor(url: string, init: { method: string; headers: Headers; body?: string }) {
    this.url = url;
    this.method = init.method;
    this.headers = init.headers;
    this.body = init.body;
  }
}
