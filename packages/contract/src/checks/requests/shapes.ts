const endpoints = [
  "POST /api/v1/tryon",
  "GET /api/v1/tryon",
  "GET /api/v1/tryon/{job_id}",
  "GET /api/v1/account",
  "POST /api/v1/credits/purchase",
];

const problem = [
  "validation-error.detail.array",
  "validation-error.loc.path",
  "validation-error.msg.string",
  "validation-error.type.string",
  "validation-error.input.any",
  "validation-error.ctx.object",
  "endpoints.statuses.anywhere",
];

const entries: readonly (readonly [statuses: readonly number[], rules: readonly string[]])[] = [
  [[200], ["endpoints.json"]],
  [
    [401, 403, 429, 500, 503],
    ["error-response.detail.string", "endpoints.statuses.anywhere"],
  ],
  [[400, 402, 404, 409], ["error-response.detail.string"]],
  [[422], problem],
];

const ofEndpoints = endpoints.flatMap((endpoint) =>
  entries.flatMap(([statuses, rules]) =>
    statuses.map((status): [string, readonly string[]] => [`${endpoint} ${status}`, rules]),
  ),
);

const ofDiscovery = ["discovery.capabilities.agentic-commerce", "discovery.document.shape"];

/** The rules of this part that stand in the schema of an answer. */
export const requestShapes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(ofEndpoints),
  "GET / 200": ofDiscovery,
  "GET /api/discovery 200": ofDiscovery,
  "GET /api/v1/openapi.json 200": ["version.description.openapi"],
};
