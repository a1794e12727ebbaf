import { fromWebResponse } from "../http/message.ts";
import type { Mock } from "../mock.ts";

const submissions = { method: "POST", path: "/api/v1/tryon" };

/** Finds paid try-ons of whose end no response has informed the app. */
export class UnawaitedJobs {
  readonly #mock: Mock;
  readonly #ended = new Set<string>();

  constructor(mock: Mock) {
    this.#mock = mock;
  }

  readonly fetch: Mock["fetch"] = async (resource, init) => {
    const response = await this.#mock.fetch(resource, init);
    const { body } = fromWebResponse(response);
    const isJson = response.headers.get("content-type") === "application/json";
    if (response.ok && isJson && typeof body === "string") this.#note(JSON.parse(body) as unknown);
    return response;
  };

  take(): readonly string[] {
    const unawaited = this.#mock.journal.entries(submissions).flatMap((entry) => {
      const { apiKey, durationMs, jobId, replayed, submission } = entry;
      const isJob = jobId !== null || durationMs === null;
      if (!isJob || replayed || submission === null || submission.fields["webhook_url"]) return [];
      if (apiKey?.startsWith("svc_test_") || this.#ended.has(jobId ?? "")) return [];
      return jobId ?? "a submission in progress";
    });
    this.#ended.clear();
    return unawaited;
  }

  #note(body: unknown): void {
    if (typeof body !== "object" || body === null) return;
    const { job_id: id, status, jobs } = body as Readonly<Record<string, unknown>>;
    if (Array.isArray(jobs)) for (const job of jobs) this.#note(job);
    if (status === "succeeded" || status === "failed") this.#ended.add(String(id));
  }
}
