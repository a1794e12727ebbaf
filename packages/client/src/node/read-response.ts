import type { ReceivedResponse } from "../http/http-request.ts";

type HeaderTexts = Readonly<Record<string, string>>;
type ResponseBytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextDecoder();

/**
 * Returns a response that has been read. To create a `Response` takes longer than to receive one, and Node loads `fetch` with
 * the first one.
 */
export function receivedResponse(
  status: number,
  headers: HeaderTexts,
  bytes: ResponseBytes,
): ReceivedResponse {
  return {
    status,
    ok: status >= 200 && status < 300,
    type: "default",
    headers: { get: (name) => headers[name] ?? null, has: (name) => name in headers },
    text: async () => utf8.decode(bytes),
    toResponse() {
      const response = readResponse(status, headers, bytes);
      void response.text();
      return response;
    },
  };
}

export function readResponse(status: number, headers: HeaderTexts, bytes: ResponseBytes): Response {
  return new (readResponseClass ??= createClass())(status, headers, bytes);
}

let readResponseClass: ReturnType<typeof createClass> | undefined;

/** Creates the class. `Response` alone would make Node load `fetch` at the import. */
function createClass() {
  class ReadResponse extends Response {
    readonly #texts: HeaderTexts;
    readonly #bytes: ResponseBytes;
    #headers: Headers | undefined;
    #whole: Response | undefined;
    #isTextRead = false;

    constructor(status: number, texts: HeaderTexts, bytes: ResponseBytes) {
      super(null, { status });
      this.#texts = texts;
      this.#bytes = bytes;
    }

    override get headers(): Headers {
      return (this.#headers ??= new Headers(this.#texts));
    }

    override text(): Promise<string> {
      if (this.#whole || this.#isTextRead) return this.#all.text();
      this.#isTextRead = true;
      return Promise.resolve(utf8.decode(this.#bytes));
    }

    get #all(): Response {
      if (!this.#whole) {
        const { status, headers } = this;
        // A response with status 204, 205 or 304 must have no body.
        const body = this.#bytes.length > 0 ? this.#bytes : null;
        this.#whole = new Response(body, { status, headers });
        if (this.#isTextRead) void this.#whole.text();
      }
      return this.#whole;
    }

    override get body(): Response["body"] {
      return this.#all.body;
    }

    override get bodyUsed(): boolean {
      return this.#all.bodyUsed;
    }

    static {
      const names = ["arrayBuffer", "blob", "bytes", "clone", "formData", "json"] as const;
      for (const name of names) {
        const value = function (this: ReadResponse): unknown {
          return this.#all[name]();
        };
        Object.defineProperty(this.prototype, name, { value });
      }
    }
  }
  return ReadResponse;
}
