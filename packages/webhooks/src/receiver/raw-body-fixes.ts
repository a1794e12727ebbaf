import { hasField } from "../verification/body.ts";

/** Change in a framework if its parser has read a body before the receiver. The guide has all of them in a table. */
export interface Framework {
  readonly name: string;
  /** Package on the call stack of a handler. */
  readonly package?: string;
  /** Field of the request, which other frameworks of the package do not have. */
  readonly field?: string;
  /** Reason, and what to change. */
  readonly fix: string;
  /** Lines to change, if the fix needs code. */
  readonly lines: readonly string[];
}

export const nestExpressFix: Framework = {
  name: "NestJS with Express",
  package: "@nestjs/core",
  field: "baseUrl",
  fix: "let Nest keep the bytes",
  lines: ["NestFactory.create(AppModule, { rawBody: true });"],
};

export const nestFastifyFix: Framework = {
  name: "NestJS with Fastify",
  package: "@nestjs/core",
  fix: "let Nest keep the bytes, and pass them on",
  lines: [
    "NestFactory.create(AppModule, new FastifyAdapter(), { rawBody: true });",
    "receive(Object.assign(request.raw, { rawBody: request.rawBody }), reply.raw);",
  ],
};

export const hapiFix: Framework = {
  name: "hapi",
  package: "@hapi/hapi",
  fix: "turn off the parser in the options of the route",
  lines: [
    'options: { payload: { parse: false, output: "stream" } }',
    "await receive(request.raw.req, request.raw.res); return h.abandon;",
  ],
};

export const adonisFix: Framework = {
  name: "AdonisJS",
  package: "@adonisjs/http-server",
  fix: "pass the text that its parser keeps",
  lines: [
    "receive(Object.assign(request.request, { rawBody: request.raw() }), response.response);",
  ],
};

export const elysiaFix: Framework = {
  name: "Elysia",
  package: "elysia",
  fix: "turn off the parser of the route",
  lines: ['app.post("/webhooks/tryon", ({ request }) => receive(request), { parse: "none" });'],
};

export const h3Fix: Framework = {
  name: "h3, Nitro and Nuxt",
  // The field is that of srvx, the server of h3 2.
  field: "runtime",
  fix: "call the receiver before readBody and the like",
  lines: ['app.post("/webhooks/tryon", (event) => receive(event.req));'],
};

export const koaFix: Framework = {
  name: "Koa",
  fix: "a body parser comes before the receiver. Use this order",
  lines: [
    "const receive = createReceiver(options);",
    'app.use((ctx, next) => (ctx.path === "/webhooks/tryon" ? receive(ctx) : next()));',
    "app.use(bodyParser());",
  ],
};

export const fastifyFix: Framework = {
  name: "Fastify",
  fix: "a hook or a middleware of the app reads bodies before the routes, such as fastify-raw-body with this route in its option routes. Move it to a scope beside that of the receiver, with the routes that need it inside",
  lines: [
    'app.register(createReceiver(options), { prefix: "/webhooks/tryon" });',
    'app.register(async (scope) => { scope.addHook("preParsing", hook); });',
  ],
};

export const expressFix: Framework = {
  name: "Express",
  fix: "put the receiver before the parsers, or let the parser keep the bytes as in the last line",
  lines: [
    'app.post("/webhooks/tryon", createReceiver(options));',
    "app.use(express.json());",
    "app.use(express.json({ verify: (req, res, bytes) => Object.assign(req, { rawBody: bytes }) }));",
  ],
};

export const honoFix: Framework = {
  name: "Hono",
  fix: "a middleware or a validator has read the body. Put the receiver before it",
  lines: ['app.post("/webhooks/tryon", createReceiver(options));', "app.use(middleware);"],
};

export const nextRouteFix: Framework = {
  name: "Next.js",
  fix: "the route handler has read the request. Export the receiver itself, or pass it the request first, or its clone",
  lines: ["export const POST = createReceiver(options);"],
};

export const nextPagesFix: Framework = {
  name: "Next.js",
  fix: "it parses bodies in pages/api by default. Add this to the file of the route",
  lines: ["export const config = { api: { bodyParser: false } };"],
};

export const lambdaFix: Framework = {
  name: "Lambda",
  fix: "a middleware has parsed the body of the event. Export the receiver itself, with middy without httpJsonBodyParser",
  lines: ["export const handler = createReceiver(options);"],
};

export const requestFix: Framework = {
  name: "Request",
  fix: "other code has read it. Call the receiver first, or pass it a clone that was made before",
  lines: ["await receive(request.clone());"],
};

export const nodeFix: Framework = {
  name: "node:http",
  fix: "pass the request before anything reads it, or keep its bytes as in the last line",
  lines: ["createServer(createReceiver(options))", "request.rawBody = bytes;"],
};

/**
 * Returns what to change in an app whose request was read: the first fix with the package on the call stack and the field on
 * the request. The last one has neither.
 */
export function describeFix(fixes: readonly Framework[], request: unknown): string {
  const stack = new Error("Call stack").stack?.replaceAll("\\", "/") ?? "";
  const own = fixes.find(
    ({ package: path = "", field }) =>
      stack.includes(path && `/node_modules/${path}/`) &&
      (field === undefined || hasField(request, field)),
  );
  const { name, fix, lines } = own as Framework;
  return `${name}: ${fix}: ${lines.map((line) => `\`${line}\``).join(" ")}`;
}
