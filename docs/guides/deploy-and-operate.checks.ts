import { expect } from "vitest";

import type { Checks } from "../code/checks.ts";

const orderAndStop = `
import { once } from "node:events";
import { get } from "node:http";

await once(server, "listening");
const address = server.address();
const port = typeof address === "object" ? address?.port : "";
const request = async (path: string) =>
  fetch("http://127.0.0.1:" + port + path, { headers: { connection: "close" } });
console.log((await request("/health")).status);
// fetch would resolve this path.
const [refused] = await once(get({ port, path: "/../order-2" }), "response");
refused.resume();
console.log(refused.statusCode);
const ordered = await request("/order-1");
console.log(ordered.status, (await ordered.text()).startsWith("job_"));
process.kill(process.pid, "SIGTERM");
await once(stopping.signal, "abort");
console.log(stopping.signal.reason.message);
`;

export const checks: Checks = {
  "server.ts": async ({ snippet, run }) => {
    const told = await run(`${snippet.code}${orderAndStop}`, { env: { PORT: "0" } });
    expect(told).toBe("200\n404\n202 true\nThe server stops.\n");
  },
};
