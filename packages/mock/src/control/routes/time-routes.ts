import type { Hono } from "hono";

import { json } from "../../http/responses.ts";
import type { Steered } from "./control-app.ts";
import { checked, readFields, refuse, wholeNumber } from "./input.ts";
import { Snapshots } from "./snapshots.ts";

/** The furthest that one call moves time, in milliseconds: about 30 years. */
const furthest = 1e12;

/** Time, and going back in it. */
export function addTimeRoutes(app: Hono, mock: Steered): void {
  const snapshots = new Snapshots();

  app.post("/reset", async ({ req }) => {
    await readFields(req.raw, {});
    await mock.reset();
    return json({});
  });

  app.post("/snapshot", async ({ req }) => {
    await readFields(req.raw, {});
    return json({ snapshot_id: snapshots.add(await mock.snapshot()) });
  });

  app.post("/restore", async ({ req }) => {
    const fields = await readFields(req.raw, { snapshot_id: "id" });
    await checked({}, () => mock.restore(snapshots.find(fields["id"])));
    return json({});
  });

  app.post("/clock", async ({ req }) => {
    const fields = await readFields(req.raw, { advance_ms: "advance", run_all: "runAll" });
    const { advance, runAll } = fields;
    if (Object.keys(fields).length !== 1) {
      return refuse("Give either advance_ms, a number of milliseconds, or run_all: true.");
    }
    if (advance !== undefined) {
      return json({
        now: await mock.clock.advance(wholeNumber("advance_ms", advance, 0, furthest)),
      });
    }
    if (runAll !== true) return refuse("run_all has to be true; use advance_ms for a part.");
    return json({ now: await mock.clock.runAll() });
  });
}
