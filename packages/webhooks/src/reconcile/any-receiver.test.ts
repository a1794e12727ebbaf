import { expect, it } from "vitest";

import * as express from "../adapters/express.ts";
import * as fastify from "../adapters/fastify.ts";
import * as hono from "../adapters/hono.ts";
import * as koa from "../adapters/koa.ts";
import * as lambda from "../adapters/lambda.ts";
import * as next from "../adapters/next.ts";
import {
  createMemoryStore,
  createReceiver,
  signedRequest,
  type ReceiverOptions,
} from "../index.ts";
import { reconcile } from "./reconcile.ts";

const secret = "whsec_a";
const jobs = ["job_lost", "job_delivered"].map((id) => ({
  id,
  data: {
    status: "succeeded",
    created_at: new Date().toISOString(),
    completed_at: new Date().toISOString(),
  },
}));
const client = {
  jobs: {
    async *list() {
      yield* jobs;
    },
  },
};

it.each([
  ["@tryon/webhooks", createReceiver],
  ["Express", express.createReceiver],
  ["Fastify", fastify.createReceiver],
  ["Hono", hono.createReceiver],
  ["Koa", koa.createReceiver],
  ["AWS Lambda", lambda.createReceiver],
  ["a route of Next.js", next.createReceiver],
  ["pages/api of Next.js", next.createPagesReceiver],
])("takes the receiver of %s, and counts what was recovered", async (_name, create) => {
  const handled: string[] = [];
  const options: ReceiverOptions = {
    secrets: secret,
    store: createMemoryStore(),
    onCompleted: ({ job_id }) => handled.push(job_id),
  };
  const other = createReceiver(options);
  expect((await other(await signedRequest({ job_id: "job_delivered" }, { secret }))).status).toBe(
    204,
  );
  const receiver = create(options);
  const since = new Date(Date.now() - 60_000);
  const first = await reconcile(client, { receiver, since });
  expect(first).toMatchObject({ handled: 2, recovered: 1, failed: 0 });
  expect(await reconcile(client, { receiver, since })).toMatchObject({ handled: 2, recovered: 0 });
  expect(handled).toEqual(["job_delivered", "job_lost"]);
});

it("rejects a function that no createReceiver has made", async () => {
  await expect(reconcile(client, { receiver: () => undefined, since: new Date() })).rejects.toThrow(
    /receiver must be a receiver of createReceiver of @tryon\/webhooks or one of its adapters/,
  );
});
