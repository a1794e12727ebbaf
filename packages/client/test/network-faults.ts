import { respondWith, respondAfter, cut, noResponse, type Fault } from "./service.ts";

const json = (status: number, headers?: Record<string, string>): Fault =>
  respondWith(status, { detail: "no" }, headers);

/** Faults of a request in the network and in the service. "done" means after the work of the service. */
export const networkFaults = {
  "connection refused": cut.refused,
  "reset before": cut.before,
  "reset after": cut.after,
  "no response": noResponse.before,
  "done, no response": noResponse.after,
  /** The client stops waiting before the request arrives. */
  "arrives late": { latency: "200s" },
  "cut within the response": { truncateAt: 20 },
  "done, cut-off JSON": respondAfter(200, '{"job_id":"job_1","sta'),
  "done, empty": respondAfter(200, ""),
  "done, 200 HTML": respondAfter(200, "<h1>Welcome</h1>"),
  "held, then 504": { cutAfter: "2s" },
  "400": json(400),
  "402": json(402),
  "403": json(403),
  "422": json(422),
  "404 HTML": respondWith(404, "<h1>Not found</h1>"),
  "307": respondWith(307, "", { location: "https://elsewhere.example/api/v1/tryon" }),
  "done, 303": respondAfter(303, ""),
  "done, 403 HTML": respondAfter(403, "<h1>Forbidden by the firewall</h1>"),
  "408": respondWith(408, "<h1>Request timeout</h1>"),
  "409 lock": json(409),
  "done, 409 HTML": respondAfter(409, "<h1>Conflict</h1>"),
  "429": json(429, { "retry-after": "3" }),
  "429 until a date": json(429, { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }),
  "429 without a time": json(429, { "retry-after": "" }),
  "429 for too long": json(429, { "retry-after": "90" }),
  "500": json(500),
  "done, 500": respondAfter(500, { detail: "broken" }),
  "502 HTML": { status: 502 },
  "done, 502 HTML": respondAfter(502, "<h1>Bad gateway</h1>"),
  "503": json(503, { "retry-after": "1" }),
  "done, 524": respondAfter(524, "<h1>A timeout occurred</h1>"),
} as const satisfies Record<string, Fault>;

export type NetworkFault = keyof typeof networkFaults;

// The keys of an object are its keys.
export const networkFaultNames = Object.keys(networkFaults) as readonly NetworkFault[];
