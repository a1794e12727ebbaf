// As much of the frameworks as the examples of docstrings use; the examples of the repository run on the real ones.
declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface Answer extends ServerResponse {
    status(code: number): this;
  }
  /** With the bytes that `express.raw()` has read. */
  type Request = IncomingMessage & { readonly body: Uint8Array };
  type Handler = (request: Request, response: Answer) => unknown;
  export interface Express {
    post(path: string, ...handlers: readonly Handler[]): void;
    use(path: string | Handler, handler?: Handler): void;
  }
  interface ExpressModule {
    (): Express;
    json(): Handler;
    raw(options: { readonly type: string }): Handler;
  }
  const express: ExpressModule;
  export default express;
}

declare module "fastify" {
  import type { FastifyScope } from "@tryon/webhooks/fastify";

  interface App {
    register(
      plugin: (scope: FastifyScope, options: object) => Promise<void>,
      options?: { readonly prefix: string },
    ): void;
  }
  export default function fastify(): App;
}

declare module "koa" {
  import type { KoaContext } from "@tryon/webhooks/koa";

  type Middleware = (
    context: KoaContext & { readonly path: string },
    next: () => Promise<void>,
  ) => unknown;
  export default class Koa {
    use(middleware: Middleware): void;
  }
}
