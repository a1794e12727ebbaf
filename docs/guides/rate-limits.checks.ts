import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

const calls = `
const order = (id: string) =>
  POST(
    new Request("https://shop.example/try-ons", {
      method: "POST",
      body: JSON.stringify({
        person: "https://shop.example/me.jpg",
        garments: ["https://shop.example/shirt.png"],
        order: id,
      }),
    }),
  );
for (const id of ["order-1", "order-2"]) {
  const response = await order(id);
  console.log(response.status, response.headers.get("retry-after"));
}
`;

export const checks: Checks = {
  "handler.ts": async ({ snippet, run, mock }) => {
    const fault = { on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 7 } as const;
    mock.faults.add(fault);
    expect(await run(`${snippet.code}${calls}`)).toBe("503 7\n503 7\n");
  },
};
