import { json } from "../../http/responses.ts";
import type { Router } from "../../http/router.ts";
import type { NewKey } from "../../service/new-key.ts";
import { ServiceError } from "../../service/service-error.ts";
import { show } from "@tryon/shared/options";
import { faultRules } from "../check-fault.ts";
import type { FaultInput } from "../fault.ts";
import { nextJobRules, type NextJob } from "../next-job.ts";
import type { Snapshot } from "../server-states.ts";
import type { NewTenant } from "../tenant.ts";
import {
  badRequest,
  fieldNames,
  readFields,
  wholeNumber,
  withFieldNames,
  type ControlledMock,
} from "./input.ts";
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

/** Adds the routes that change the server. The mock validates all fields that are cast here. */
export function addControlRoutes(router: Router, mock: ControlledMock): void {
  addTimeRoutes(router, mock);

  router.add("POST", "/__mock/keys", async (request) => {
    const fields = (await readFields(request, keyFields)) as NewKey;
    const key = await withFieldNames(keyFields, () => mock.createKey(fields));
    const { token: apiKey, webhookSecret, accountId } = key;
    return json(snakeCase({ apiKey, webhookSecret, accountId }));
  });

  router.add("POST", "/__mock/tenants", async (request) => {
    const fields = (await readFields(request, tenantFields)) as NewTenant;
    const tenant = await withFieldNames(tenantFields, () => mock.tenant(fields));
    const { apiKey, webhookSecret, accountId } = tenant;
    return json(snakeCase({ apiKey, webhookSecret, accountId }));
  });

  router.add("POST", "/__mock/payments/:id/settle", async (request, part) => {
    const { status = "succeeded" } = await readFields(request, { status: "status" });
    if (typeof status !== "string" || status === "") {
      return badRequest('status must be a string such as "succeeded" or "canceled".');
    }
    const names = { payment_intent_id: "paymentIntentId" };
    await withFieldNames(names, () => mock.settlePayment(part, status), "not-found");
    return json({});
  });

  router.add("POST", "/__mock/faults", async (request) => {
    const fields = await readFields(request, faultFields);
    const { latency, cutAfter } = fields;
    // Over HTTP a duration is a number. Strings such as "2s" are for callers in process.
    if (latency !== undefined && (typeof latency !== "object" || latency === null)) {
      wholeNumber("latency_ms", latency, 0, maxDuration);
    }
    if (cutAfter !== undefined) wholeNumber("cut_after_ms", cutAfter, 0, maxDuration);
    const input = fields as unknown as FaultInput;
    const { id } = await withFieldNames(faultFields, () => mock.faults.add(input));
    return json({ fault_id: id });
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

  router.add("POST", "/__mock/next-job", async (request) => {
    const fields = (await readFields(request, nextJobFields)) as NextJob;
    await withFieldNames(nextJobFields, () => mock.nextJob(fields));
    return json({});
  });
}

function addTimeRoutes(router: Router, mock: ControlledMock): void {
  const snapshots = new Map<string, Snapshot>();
  let lastSnapshot = 0;

  router.add("POST", "/__mock/reset", async (request) => {
    await readFields(request, {});
    await mock.reset();
    return json({});
  });

  router.add("POST", "/__mock/snapshot", async (request) => {
    await readFields(request, {});
    const snapshot = await mock.snapshot();
    const number = (lastSnapshot += 1);
    snapshots.set(`snap_${number}`, snapshot);
    snapshots.delete(`snap_${number - maxSnapshots}`);
    return json({ snapshot_id: `snap_${number}` });
  });

  router.add("POST", "/__mock/restore", async (request) => {
    const { id } = await readFields(request, { snapshot_id: "id" });
    const snapshot = typeof id === "string" ? snapshots.get(id) : undefined;
    if (snapshot === undefined) {
      return badRequest(
        `snapshot_id: unknown snapshot ${show(id)}; take one with POST /__mock/snapshot. The last ${maxSnapshots} are kept.`,
      );
    }
    await mock.restore(snapshot);
    return json({});
  });

  router.add("POST", "/__mock/clock", async (request) => {
    const fields = await readFields(request, { advance_ms: "advance", run_all: "runAll" });
    const { advance, runAll } = fields;
    if (Object.keys(fields).length !== 1) {
      return badRequest("Send either advance_ms, a number of milliseconds, or run_all: true.");
    }
    if (advance !== undefined) {
      const length = wholeNumber("advance_ms", advance, 0, maxDuration);
      return json({ now: await mock.clock.advance(length) });
    }
    if (runAll !== true) return badRequest("run_all must be true; use advance_ms for a duration.");
    return json({ now: await mock.clock.runAll() });
  });
}
