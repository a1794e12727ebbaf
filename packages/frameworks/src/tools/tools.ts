import type { Row } from "../row.ts";

/** Tool that reads `spec/openapi.json`, with a program in the folder of its id in `apps/tools`, if it has one. */
export interface Tool extends Row {
  /** Commands that read the contract. With a page, Chromium reads it. */
  readonly accepts?: readonly string[];
  /** Hint of the page. */
  readonly use: string;
  /** Credits of the submission of its program. @default 20 */
  readonly cost?: number;
}

export const tools: readonly Tool[] = [
  {
    id: "openapi-fetch",
    title: "openapi-typescript, openapi-fetch",
    packages: ["openapi-typescript", "openapi-fetch", "typescript@5"],
    accepts: ["openapi-typescript openapi.json --output client.ts"],
    use: "Types and a client. `@tryon/client/raw` is this client with retries.",
    isPinned: true,
  },
  {
    id: "hey-api",
    title: "@hey-api/openapi-ts with zod",
    packages: ["@hey-api/openapi-ts", "zod", "typescript@5"],
    accepts: [
      "openapi-ts --input openapi.json --output client --plugins @hey-api/typescript @hey-api/sdk @hey-api/client-fetch zod",
    ],
    use: "A client and parsers. Pass the header `Idempotency-Key` in `headers`.",
    isPinned: true,
  },
  {
    id: "orval",
    title: "orval with zod",
    packages: ["orval", "zod", "typescript@5"],
    accepts: ["orval --config orval.config.mjs"],
    use: "A client and parsers. Pass the header `Idempotency-Key` in the options of fetch.",
  },
  {
    id: "swagger-typescript-api",
    title: "swagger-typescript-api",
    packages: ["swagger-typescript-api"],
    accepts: [
      "swagger-typescript-api generate --generate-union-enums --path openapi.json --output client",
    ],
    use: "A client. Without `--generate-union-enums`, sizes are enums.",
    isPinned: true,
  },
  {
    id: "oazapfts",
    title: "oazapfts",
    packages: ["oazapfts", "typescript@5"],
    accepts: ["oazapfts openapi.json client.ts"],
    use: "A client. Pass `idempotencyKey` as the second argument.",
  },
  {
    id: "kubb",
    title: "kubb with zod",
    packages: [
      "@kubb/core@4",
      "@kubb/cli@4",
      "@kubb/plugin-oas@4",
      "@kubb/plugin-ts@4",
      "@kubb/plugin-client@4",
      "@kubb/plugin-zod@4",
      "zod",
    ],
    accepts: ["kubb generate --config kubb.config.mjs"],
    use: "A client and parsers. Pass `content-type: application/json` and `Idempotency-Key` in `headers`: the client sends neither.",
  },
  {
    id: "openapi-zod-client",
    title: "openapi-zod-client",
    packages: ["openapi-zod-client", "@zodios/core", "axios", "zod@3"],
    accepts: ["openapi-zod-client openapi.json --output client.ts --export-schemas"],
    use: "A client with parsers.",
  },
  {
    id: "ajv",
    title: "ajv with `useDefaults`",
    packages: ["ajv", "ajv-formats"],
    use: "Validates a submission. An empty one is invalid.",
  },
  {
    id: "redocly",
    title: "Redocly CLI",
    packages: ["@redocly/cli"],
    accepts: ["redocly lint openapi.json --extends recommended-strict"],
    use: "Lints with `recommended-strict`.",
    isPinned: true,
  },
  {
    id: "spectral",
    title: "Spectral",
    packages: ["@stoplight/spectral-cli"],
    accepts: [
      'echo "extends: spectral:oas" > spectral.yaml',
      "spectral lint --ruleset spectral.yaml --fail-severity hint openapi.json",
    ],
    use: "Lints with `spectral:oas`.",
    isPinned: true,
  },
  {
    id: "swagger-parser",
    title: "swagger-parser",
    packages: ["@apidevtools/swagger-parser"],
    accepts: [
      `node --eval 'import("@apidevtools/swagger-parser").then(({ default: parser }) => parser.validate("openapi.json"))'`,
    ],
    use: "Validates and resolves references.",
  },
  {
    id: "prism",
    title: "Prism",
    packages: ["@stoplight/prism-cli"],
    use: "As a proxy in front of a deployment, refuses invalid submissions. As a server, it returns examples; [the reference server](../packages/mock/README.md) has jobs and charges.",
  },
  {
    id: "swagger-ui",
    title: "Swagger UI",
    packages: ["swagger-ui-dist"],
    use: "A page.",
  },
  {
    id: "scalar",
    title: "Scalar",
    packages: ["@scalar/api-reference"],
    use: "A page.",
  },
  { id: "rapidoc", title: "RapiDoc", packages: ["rapidoc"], use: "A page." },
  { id: "redoc", title: "Redoc", packages: ["redoc@2"], use: "A page." },
  {
    id: "elements",
    title: "Stoplight Elements",
    packages: ["@stoplight/elements"],
    use: "A page.",
  },
  {
    id: "postman",
    title: "Postman collection, newman",
    packages: ["openapi-to-postmanv2", "newman"],
    accepts: [
      "openapi2postmanv2 --spec openapi.json --output collection.json --options parametersResolution=Example,folderStrategy=Tags",
    ],
    use: 'Import with `parametersResolution: "Example"`. By default, the collection has `<uri>` instead of URLs. Change the example of `Idempotency-Key` for each new try-on.',
    cost: 8,
  },
  {
    id: "mcp",
    title: "@ivotoby/openapi-mcp-server",
    packages: ["@ivotoby/openapi-mcp-server", "@modelcontextprotocol/sdk"],
    use: "Tools for agents. [`tryon mcp`](guides/mcp.md) also has a budget.",
  },
];
