/** Every endpoint that needs a key. */
export const endpoints = [
  { method: "GET", path: "/api/v1/account" },
  { method: "GET", path: "/api/v1/tryon" },
  { method: "GET", path: "/api/v1/tryon/job_1" },
  { method: "POST", path: "/api/v1/tryon" },
  { method: "POST", path: "/api/v1/credits/purchase" },
] as const;
