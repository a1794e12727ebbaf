/** Framework with an app in `apps`, or a reason why it cannot run. */
export interface Row {
  /** Name of the folder in `apps`. */
  readonly id: string;
  readonly title: string;
  /** Packages of the app. The version of the first is that of the row. */
  readonly packages: readonly string[];
  /** If true, install scripts run. */
  readonly scripts?: boolean;
  /** Arguments of Node, or a command of a package and its arguments, that build the app, without a secret. */
  readonly build?: readonly string[];
  /** The same, to start the app with the variable PORT. */
  readonly start: readonly string[];
  /** Variables of the app, which the recipe needs too. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the app that the page shows. */
  readonly recipe: readonly string[];
  /** Mistake that the recipe avoids, or a note. */
  readonly trap: string;
  /** Checks that the app cannot have, such as `proxy`, and the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Texts of the page for the results of checks that are not `works`. */
  readonly notes?: Readonly<Record<string, string>>;
  /** If true, `.ci/run` runs it with the versions of the results. */
  readonly isPinned?: boolean;
}

const main = ["main.mjs"];
const vite = "node_modules/vite/bin/vite.js";

export const rows: readonly Row[] = [
  {
    id: "express",
    title: "Express",
    packages: ["express"],
    start: main,
    recipe: main,
    trap: "Mount both before `express.json()`.",
  },
  {
    id: "fastify",
    title: "Fastify",
    packages: ["fastify"],
    start: main,
    recipe: main,
    trap: "Register the receiver. As a handler, it would come after the parsers.",
  },
  {
    id: "koa",
    title: "Koa",
    packages: ["koa"],
    start: main,
    recipe: main,
    trap: "Mount both before body parsers, and set `context.respond` for the proxy.",
  },
  {
    id: "hono",
    title: "Hono",
    packages: ["hono", "@hono/node-server"],
    start: main,
    recipe: main,
    trap: "Mount both before validators.",
  },
  {
    id: "next",
    title: "Next.js",
    packages: ["next", "react", "react-dom"],
    build: ["node_modules/next/dist/bin/next", "build"],
    start: ["node_modules/next/dist/bin/next", "start"],
    recipe: ["app/webhooks/tryon/route.js", "app/api/tryon/[...path]/route.js"],
    trap: "Pass the secret as a function: `next build` loads the route.",
  },
  {
    id: "nest",
    title: "NestJS with Express",
    packages: [
      "@nestjs/core",
      "@nestjs/common",
      "@nestjs/platform-express",
      "reflect-metadata",
      "rxjs",
      "esbuild",
    ],
    build: ["build.mjs"],
    start: main,
    recipe: ["main.ts"],
    trap: "Call `app.use` before `listen`, which adds the body parsers.",
    isPinned: true,
  },
  {
    id: "nest-fastify",
    title: "NestJS with Fastify",
    packages: [
      "@nestjs/core",
      "@nestjs/common",
      "@nestjs/platform-fastify",
      "reflect-metadata",
      "rxjs",
      "esbuild",
    ],
    build: ["build.mjs"],
    start: main,
    recipe: ["main.ts"],
    trap: "Use the adapter of `@tryon/webhooks/node`, not that of Fastify.",
  },
  {
    id: "hapi",
    title: "hapi",
    packages: ["@hapi/hapi"],
    start: main,
    recipe: main,
    trap: "Set `parse: false` and `maxBytes`, and return `h.abandon`.",
  },
  {
    id: "elysia",
    title: "Elysia on Bun",
    packages: ["elysia", "bun"],
    scripts: true,
    start: ["bun", "main.mjs"],
    recipe: main,
    trap: 'Set `parse: "none"`.',
  },
  {
    id: "h3",
    title: "h3",
    packages: ["h3"],
    start: main,
    recipe: main,
    trap: "Pass `event.req`.",
    isPinned: true,
  },
  {
    id: "nitro",
    title: "Nitro",
    // The newest of this line has no tag.
    packages: ["nitro@3.0.260903-beta"],
    build: ["node_modules/nitro/dist/cli/index.mjs", "build"],
    start: [".output/server/index.mjs"],
    recipe: ["routes/webhooks/tryon.post.ts", "routes/api/tryon/[...].ts"],
    trap: "The file needs `.post`, or a GET calls the receiver, too.",
  },
  {
    id: "nuxt",
    title: "Nuxt",
    packages: ["nuxt", "vue"],
    scripts: true,
    build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    start: [".output/server/index.mjs"],
    recipe: ["server/routes/webhooks/tryon.post.ts", "server/routes/api/tryon/[...].ts"],
    trap: "Without the file, a page responds to the service with 200.",
    notes: { get: "A GET gets a page with 200, and reaches no receiver." },
  },
  {
    id: "sveltekit",
    title: "SvelteKit",
    packages: [
      "@sveltejs/kit",
      "@sveltejs/adapter-node",
      "@sveltejs/vite-plugin-svelte",
      "svelte",
      "vite",
      "typescript@6",
    ],
    build: [vite, "build"],
    start: ["build/index.js"],
    env: { BODY_SIZE_LIMIT: "30M" },
    recipe: ["src/routes/webhooks/tryon/+server.js", "src/routes/api/tryon/[...path]/+server.js"],
    trap: "Set `BODY_SIZE_LIMIT=30M`: the default is 512 KiB, less than a photo.",
    isPinned: true,
  },
  {
    id: "astro",
    title: "Astro",
    packages: ["astro", "@astrojs/node"],
    build: ["node_modules/astro/bin/astro.mjs", "build"],
    start: ["dist/server/entry.mjs"],
    recipe: ["src/pages/webhooks/tryon.js", "src/pages/api/tryon/[...path].js"],
    trap: "Set `prerender = false`, or a page responds to the service with 200.",
  },
  {
    id: "react-router",
    title: "React Router",
    packages: [
      // They need the same version, and some are published later.
      "react-router@8.4.0",
      "@react-router/dev@8.4.0",
      "@react-router/node@8.4.0",
      "@react-router/serve@8.4.0",
      "react",
      "react-dom",
      "isbot",
      "vite",
    ],
    build: ["react-router", "build"],
    start: ["react-router-serve", "build/server/index.js"],
    recipe: ["app/routes.js", "app/routes/webhook.js", "app/routes/proxy.js"],
    trap: "The routes have no component, so that their response is sent as it is.",
  },
  {
    id: "tanstack-start",
    title: "TanStack Start",
    packages: [
      "@tanstack/react-start",
      "@tanstack/react-router",
      "@vitejs/plugin-react",
      "srvx",
      "react",
      "react-dom",
      "vite",
    ],
    build: [vite, "build"],
    start: ["srvx", "--prod", "dist/server/server.js"],
    recipe: ["src/routes/webhooks.tryon.js", "src/routes/api.tryon.$.js"],
    trap: "Without the route, a page responds to the service with 200.",
    notes: { get: "A GET gets a page with 200, and reaches no receiver." },
  },
  {
    id: "adonis",
    title: "AdonisJS",
    packages: ["@adonisjs/core"],
    start: main,
    recipe: ["start/kernel.js", "middleware/tryon.js"],
    trap: "Use a middleware of the server: that of the router reads bodies before the routes.",
  },
  {
    id: "feathers",
    title: "Feathers with Express",
    packages: ["@feathersjs/feathers", "@feathersjs/express"],
    start: main,
    recipe: main,
    trap: "Mount both before `express.json()`.",
  },
  {
    id: "restify",
    title: "restify",
    packages: ["restify"],
    start: main,
    recipe: main,
    trap: "Use `pre`: `restify.plugins.bodyParser()` reads each body before the routes.",
  },
  {
    id: "polka",
    title: "polka",
    packages: ["polka"],
    start: main,
    recipe: main,
    trap: "Mount both before body parsers.",
  },
  {
    id: "trpc",
    title: "tRPC, standalone",
    packages: ["@trpc/server"],
    start: main,
    recipe: main,
    trap: "Choose by the path before the handler of tRPC.",
  },
  {
    id: "moleculer",
    title: "Moleculer",
    packages: ["moleculer-web", "moleculer"],
    start: main,
    recipe: main,
    trap: "Set `bodyParsers: false` in the routes.",
  },
  {
    id: "lambda",
    title: "AWS Lambda behind a load balancer",
    packages: [],
    start: ["gateway.mjs"],
    recipe: ["lambda.mjs"],
    trap: "Use a `store`, since each instance has separate memory.",
    without: { proxy: "Use a framework with an adapter for Lambda." },
  },
  {
    id: "serverless-http",
    title: "serverless-http with Express",
    packages: ["serverless-http", "express"],
    start: ["gateway.mjs"],
    recipe: ["lambda.mjs"],
    trap: "List `image/*` in `binary`, or an image arrives as damaged text.",
  },
  {
    id: "vendia",
    title: "serverless-express with Express",
    packages: ["@codegenie/serverless-express", "express"],
    start: ["gateway.mjs"],
    recipe: ["lambda.mjs"],
    trap: "`@vendia/serverless-express` has moved to `@codegenie`.",
    notes: {
      get: "A GET gets 500 instead of 404: the response for an unknown route of Express 5 fails there.",
    },
  },
  {
    id: "fastify-lambda",
    title: "@fastify/aws-lambda behind a load balancer",
    packages: ["@fastify/aws-lambda", "fastify"],
    start: ["gateway.mjs"],
    recipe: ["lambda.mjs"],
    trap: "None.",
    without: { proxy: "Its requests are made by `inject`, without a connection." },
  },
  {
    id: "azure",
    title: "Azure Functions",
    packages: ["@azure/functions"],
    start: ["serve.mjs"],
    recipe: ["functions.mjs"],
    trap: "Tested with requests of the package, since its host cannot be installed from npm.",
  },
  {
    id: "functions-framework",
    title: "Google Cloud Functions",
    packages: ["@google-cloud/functions-framework"],
    start: [
      "node_modules/@google-cloud/functions-framework/build/src/main.js",
      "--target=shop",
      "--source=index.mjs",
    ],
    recipe: ["index.mjs"],
    trap: "The platform reads the body. Both use its `rawBody`.",
  },
  {
    id: "firebase",
    title: "Firebase Functions",
    packages: ["firebase-functions", "firebase-admin", "@google-cloud/functions-framework"],
    start: [
      "node_modules/@google-cloud/functions-framework/build/src/main.js",
      "--target=shop",
      "--source=index.mjs",
    ],
    recipe: ["index.mjs"],
    trap: "The platform reads the body. Both use its `rawBody`.",
  },
  {
    id: "bun",
    title: "Bun",
    packages: ["bun"],
    scripts: true,
    start: ["bun", "main.mjs"],
    recipe: main,
    trap: "None.",
  },
];
