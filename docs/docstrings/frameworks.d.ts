// As much of the frameworks as the examples of docstrings use; the examples of the repository run on the real ones.
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
