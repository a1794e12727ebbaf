import openapi from "@tryon/spec/openapi.json" with { type: "json" };

/** Every endpoint that needs a key. */
export const endpoints = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method, operation]) => /^(get|post)$/.test(method) && !("security" in operation))
    .map(([method]) => ({ method: method.toUpperCase(), path: path.replace("{job_id}", "job_1") })),
);
