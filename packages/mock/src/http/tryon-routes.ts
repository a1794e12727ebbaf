import type { Hono } from "hono";

import type { ValidationError } from "../generated/openapi.ts";
import type { Options } from "../options.ts";
import { limits } from "../service/catalogue.ts";
import type { SubmitResponse } from "../service/first-responses.ts";
import { json, proxyPage } from "./responses.ts";
import { keyed, type Site } from "./calls.ts";
import { characters, tooLong } from "./checks.ts";
import { readListQuery } from "./query.ts";
import { problem, readBody } from "./validation.ts";
import { jobView, listView, submitView } from "./views.ts";

/** Submit, list and poll. */
export function addTryOnRoutes(app: Hono, site: Site): void {
  const { service } = site;

  app.post(
    "/api/v1/tryon",
    keyed(site, async (call) => {
      const body = await call.body();
      const idempotencyKey = call.request.headers.get("idempotency-key") || undefined;
      const headerProblems = idempotencyKeyProblems(idempotencyKey, service.options);
      const fields = readBody(site.schemas.submission, body, service.options, headerProblems);
      const { key, origin, request } = call;
      site.journal.noteSubmission(request, fields);
      const submit = async (): Promise<SubmitResponse> => {
        const sent = { keyId: key.id, fields, body, idempotencyKey, origin: origin() };
        const answer = await service.submissions.submit(sent);
        site.journal.noteJob(request, answer.job.id, answer.replayed);
        return answer;
      };
      const submitted = await (service.options.syncCut === "off" ? submit() : cutOff(submit, site));
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

function idempotencyKeyProblems(
  idempotencyKey: string | undefined,
  options: Options,
): readonly ValidationError[] {
  const most = limits.idempotencyKeyCharacters;
  if (idempotencyKey === undefined || characters(idempotencyKey) <= most) return [];
  return [problem(["header", "Idempotency-Key"], tooLong(most), idempotencyKey, options)];
}

/** The answer, or undefined when a proxy would have ended the call before; the work goes on either way. */
async function cutOff(
  submit: () => Promise<SubmitResponse>,
  site: Site,
): Promise<SubmitResponse | undefined> {
  const { clock } = site.system;
  const seconds = Number(site.service.options.syncCut);
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
