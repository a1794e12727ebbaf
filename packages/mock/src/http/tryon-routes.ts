import type { Hono } from "hono";

import { limits } from "../service/catalogue.ts";
import type { SubmitAnswer } from "../service/submissions.ts";
import { json, proxyPage } from "./answers.ts";
import { keyed, type Call, type Site } from "./calls.ts";
import { characters, tooLong } from "./checks.ts";
import { InvalidInput } from "./invalid-input.ts";
import { readListQuery } from "./query.ts";
import { problem, readBody } from "./validation.ts";
import { jobView, listView, submitView } from "./views.ts";

/** Submit, list and poll. */
export function addTryOnRoutes(app: Hono, site: Site): void {
  const { service } = site;

  app.post(
    "/api/v1/tryon",
    keyed(site, async (call) => {
      const idempotencyKey = readIdempotencyKey(call, site);
      const body = await call.body();
      const fields = readBody(site.schemas.submission, body, service.options);
      const { key, origin } = call;
      const submit = (): Promise<SubmitAnswer> =>
        service.submissions.submit({ keyId: key.id, fields, body, idempotencyKey, origin });
      const submitted = await (service.options.holdCut === "off" ? submit() : cutOff(submit, site));
      if (submitted === undefined) return proxyPage(504, "Gateway Time-out");
      const replayed = submitted.replayed && service.options.replayHeader;
      return json(
        submitView(service, submitted),
        200,
        replayed ? { "idempotent-replayed": "true" } : {},
      );
    }),
  );

  app.get(
    "/api/v1/tryon",
    keyed(site, async ({ key, request }) => {
      const query = readListQuery(new URL(request.url).searchParams, service.options);
      return json(listView(service, await service.jobs.list(key.id, query)));
    }),
  );

  app.get(
    "/api/v1/tryon/:job_id",
    keyed(site, async ({ key }, context) => {
      const job = await service.jobs.get(key.id, context.req.param("job_id") ?? "");
      return json(jobView(service, job));
    }),
  );
}

function readIdempotencyKey(call: Call, site: Site): string | undefined {
  const idempotencyKey = call.request.headers.get("idempotency-key");
  if (idempotencyKey === null || idempotencyKey === "") return undefined;
  const most = limits.idempotencyKeyCharacters;
  if (characters(idempotencyKey) <= most) return idempotencyKey;
  const loc = ["header", "Idempotency-Key"];
  throw new InvalidInput([problem(loc, tooLong(most), idempotencyKey, site.service.options)]);
}

/** The answer, or undefined when a proxy would have ended the call before; the work goes on either way. */
async function cutOff(
  submit: () => Promise<SubmitAnswer>,
  site: Site,
): Promise<SubmitAnswer | undefined> {
  const { clock } = site.world;
  const seconds = Number(site.service.options.holdCut);
  let timer: ReturnType<typeof clock.setTimeout> | undefined;
  const cut = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), seconds * 1_000);
  });
  try {
    return await clock.outside(Promise.race([clock.during(submit), cut]));
  } finally {
    clock.clearTimeout(timer);
  }
}
