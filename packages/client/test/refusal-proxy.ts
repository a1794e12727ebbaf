import { createProxy, type ProxyRefusal, type QuotaStore } from "../src/proxy/index.ts";
import { jsonHeaders, mount, tryOn, validOptions } from "./proxy-service.ts";

interface RefusalOptions {
  readonly store: QuotaStore;
  readonly clock: { readonly now: () => number };
  readonly onRefusal?: (refusal: ProxyRefusal) => void;
}

/** Creates a proxy that stops users after three refusals in an hour, and whose service accepts every submission. */
export function createRefusalProxy({ store, clock, onRefusal = () => {} }: RefusalOptions) {
  const proxy = createProxy({
    ...validOptions,
    fetch: async () => Response.json({ job_id: "job_1", status: "running" }),
    authorize: ({ headers }) => ({ id: decodeURIComponent(headers.get("cookie") ?? "") }),
    clock: { setTimeout, clearTimeout: (timer) => clearTimeout(Number(timer)), ...clock },
    maxRefusals: { count: 3, per: "1h", store },
    onRefusal,
  });
  return {
    report: (id: string, jobId: string) =>
      proxy.recordRefusal(
        { id },
        { job_id: jobId, status: "failed", error_message: "content_blocked" },
      ),
    /** Submits a try-on of a user, and returns the status. */
    submit: async (id: string): Promise<number> => {
      const headers = {
        ...jsonHeaders,
        "idempotency-key": crypto.randomUUID(),
        cookie: encodeURIComponent(id),
      };
      const init = { method: "POST", headers, body: JSON.stringify(tryOn) };
      return (await proxy(new Request(`${mount}/api/v1/tryon`, init))).status;
    },
  };
}
