import { json } from "../../http/responses.ts";
import type { Router } from "../../http/router.ts";
import { badRequest, ServiceError } from "../../service/service-error.ts";
import { show } from "@tryon/shared/options";
import { faultRules } from "../check-fault.ts";
import type { FaultInput } from "../fault.ts";
import { nextJobRules } from "../next-job.ts";
import type { Snapshot } from "../server-states.ts";
import { addPost, fieldNames, wholeNumber, type ControlledMock } from "./input.ts";
import { snakeCase } from "./snake-case.ts";
import { faultView } from "./views.ts";

/** Maximum duration in a request, in milliseconds: about 30 years. */
const maxDuration = 1e12;

/** Maximum number of snapshots; a caller has no request that deletes one. */
const maxSnapshots = 100;

const renamed = {
  rateLimitPerMinute: "rate_limit_per_min",
  latency: "latency_ms",
  cutAfter: "cut_after_ms",
};
const tenantNames = ["mode", "credits", "rateLimitPerMinute", "name", "state"];
const tenantFields = fieldNames(tenantNames, renamed);
const keyFields = fieldNames([...tenantNames, "accountId", "accountState"], renamed);
const faultFields = fieldNames(Object.keys(faultRules), renamed);
const nextJobFields = fieldNames(Object.keys(nextJobRules));

/** Adds the routes that change the server. The mock validates all fields. */
export function addControlRoutes(router: Router, mock: ControlledMock): void {
  addTimeRoutes(router, mock);

  addPost(router, "keys", keyFields, async (fields) => {
    const { token: apiKey, webhookSecret, accountId } = await mock.createKey(fields);
    return snakeCase({ apiKey, webhookSecret, accountId });
  });

  addPost(router, "tenants", tenantFields, async (fields) => {
    const { apiKey, webhookSecret, accountId } = await mock.tenant(fields);
    return snakeCase({ apiKey, webhookSecret, accountId });
  });

  addPost(router, "payments/:id/settle", { status: "status" }, ({ status }, id) =>
    // The mock validates it.
    mock.settlePayment(id, status as string | undefined),
  );

  addPost(router, "faults", faultFields, (fields) => {
    const { latency, cutAfter } = fields;
    // Over HTTP a duration is a number. Strings such as "2s" are for callers in process.
    if (latency !== undefined && (typeof latency !== "object" || latency === null)) {
      wholeNumber("latency_ms", latency, 0, maxDuration);
    }
    if (cutAfter !== undefined) wholeNumber("cut_after_ms", cutAfter, 0, maxDuration);
    return { fault_id: mock.faults.add(fields as unknown as FaultInput).id };
  });

  router.add("GET", "/__mock/faults", () => json({ faults: mock.faults.list().map(faultView) }));

  router.add("DELETE", "/__mock/faults", () => {
    mock.faults.clear();
    return json({});
  });

  router.add("DELETE", "/__mock/faults/:id", (_request, id) => {
    if (mock.faults.remove(id)) return json({});
    throw new ServiceError("not-found", `Unknown fault ${show(id)}.`);
  });

  addPost(router, "next-job", nextJobFields, (fields) => mock.nextJob(fields));
}

function addTimeRoutes(router: Router, mock: ControlledMock): void {
  const snapshots = new Map<string, Snapshot>();
  let lastSnapshot = 0;

  addPost(router, "reset", {}, () => mock.reset());

  addPost(router, "snapshot", {}, async () => {
    const snapshot = await mock.snapshot();
    const number = (lastSnapshot += 1);
    snapshots.set(`snap_${number}`, snapshot);
    snapshots.delete(`snap_${number - maxSnapshots}`);
    return { snapshot_id: `snap_${number}` };
  });

  addPost(router, "restore", { snapshot_id: "id" }, ({ id }) => {
    const snapshot = typeof id === "string" ? snapshots.get(id) : undefined;
    if (snapshot !== undefined) return mock.restore(snapshot);
    return badRequest(
      `snapshot_id: unknown snapshot ${show(id)}; take one with POST /__mock/snapshot. The last ${maxSnapshots} are kept.`,
    );
  });

  addPost(router, "clock", { advance_ms: "advance", run_all: "runAll" }, async (fields) => {
    const { advance, runAll } = fields;
    if (Object.keys(fields).length !== 1) {
      return badRequest("Send either advance_ms, a number of milliseconds, or run_all: true.");
    }
    if (advance !== undefined) {
      const length = wholeNumber("advance_ms", advance, 0, maxDuration);
      return { now: await mock.clock.advance(length) };
    }
    if (runAll !== true) return badRequest("run_all must be true; use advance_ms for a duration.");
    return { now: await mock.clock.runAll() };
  });
}
