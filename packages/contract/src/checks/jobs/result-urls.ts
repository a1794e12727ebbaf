import { images } from "../../images.ts";
import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { needVirtualTime } from "../billing/credits.ts";
import { checkRows, mustHave, oneOf } from "../expectations.ts";
import { fetchImage, finished, idsOf, resultUrlOf, runJob, syncSuccess } from "./job-run.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Fields of a job that never change after its end. */
const finalFields = [
  "status",
  "completed_at",
  "duration_ms",
  "error_code",
  "error_message",
  "cost_credits",
];

export const resultUrls = checkRows("safe", 8, {
  "job.result-url.regenerated": {
    title: "Signs a new result_url for every poll",
    rules: ["job.result-url.regenerated"],
    async run(session) {
      const { jobId } = await finished(session);
      const first = await session.http.poll(jobId);
      // URLs of the same second may be equal.
      await session.time.pass(1_100);
      const again = await session.http.poll(jobId);
      must(!haveSameUrl(first, again), "Two polls have the same result_url.", again);
    },
  },
  "job.result-url.day": {
    level: "full",
    title: "Serves the result_url of a poll for 24 hours from that poll",
    rules: ["job.result-url.validity"],
    async run(session) {
      needVirtualTime(session);
      const { jobId, response } = await finished(session);
      await session.time.pass(20 * hour);
      const later = await session.http.poll(jobId);
      // Another check fails when the URL is not new, and then only the rest of its day is left.
      await session.time.pass(haveSameUrl(response, later) ? 3 * hour : 24 * hour - minute);
      await fetchImage(session, later, "a result_url within 24 hours");
    },
  },
  "submit-response.result-url.day": {
    level: "full",
    title: "Serves the result_url of a synchronous request for 24 hours",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      needVirtualTime(session);
      const response = await syncSuccess(session);
      await session.time.pass(24 * hour - minute);
      await fetchImage(session, response, "a result_url within 24 hours");
    },
  },
  "job.result-url.expires": {
    level: "full",
    title: "Refuses a result_url after 24 hours",
    rules: ["job.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      needVirtualTime(session);
      const { response } = await finished(session);
      await session.time.pass(24 * hour + minute);
      await mustNotServe(session, resultUrlOf(response), "after 24 hours");
    },
  },
  "job.result-url.signed": {
    credits: 16,
    title: "Refuses a result_url that was changed",
    rules: ["submit-response.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      const url = resultUrlOf((await finished(session)).response);
      const other = resultUrlOf((await finished(session, { seed: 1 })).response);
      const signed = withSignatureChanged(url);
      need(signed !== undefined, "URLs of results have no signature parameter.");
      await mustNotServe(session, signed, "with another signature");
      const later = withParameter(url, /expire/i, /^\d+$/, (time) => String(Number(time) + 1));
      if (later !== undefined) await mustNotServe(session, later, "with a later expiry");
      const moved = new URL(url);
      moved.pathname = new URL(other).pathname;
      if (moved.pathname !== new URL(url).pathname) {
        await mustNotServe(session, moved.href, "with the path of another job");
      }
    },
  },
  "states.terminal.final": {
    credits: 16,
    title: "Never changes a job that has succeeded or failed",
    rules: ["states.terminal.final"],
    async run(session) {
      const responses = [(await finished(session)).response];
      // Only the control API makes a job fail.
      if (session.keys.hasControl) {
        responses.push((await runJob(session, {}, "model_rejected")).ended);
      }
      for (const wait of session.time.virtual ? [minute, hour, 31 * day] : [1_000, 2_000]) {
        await session.time.pass(wait);
        for (const { json } of responses) {
          const job = fieldsOf(json);
          const ended = Object.fromEntries(finalFields.map((name) => [name, oneOf(job[name])]));
          const poll = await session.http.poll(String(job["job_id"]));
          mustHave(poll, ended, `a poll of a job that was ${String(job["status"])}`);
        }
      }
    },
  },
  "privacy.results.kept": {
    level: "full",
    title: "Keeps a result for 30 days",
    rules: ["privacy.results.thirty-days"],
    async run(session) {
      needVirtualTime(session);
      const { jobId } = await finished(session);
      await session.time.pass(30 * day - hour);
      await fetchImage(session, await session.http.poll(jobId), "a result_url within 30 days");
    },
  },
  "privacy.results.deleted": {
    level: "full",
    title: "Deletes a result after 30 days",
    rules: ["privacy.results.thirty-days", "privacy.results.after-purge"],
    async run(session) {
      needVirtualTime(session);
      const { jobId } = await finished(session);
      // The service may delete results once an hour or once a day.
      await session.time.pass(31 * day);
      const { result_url: url } = fieldsOf((await session.http.poll(jobId)).json);
      if (typeof url === "string") await mustNotServe(session, url, "after 30 days");
    },
  },
  "privacy.inputs": {
    title: "Returns no image of the request after the end of the job",
    rules: ["privacy.inputs.dropped"],
    async run(session) {
      const { response } = await finished(session);
      const texts = [response.text, (await session.http.list()).text];
      const { control } = session.context;
      if (control !== undefined) {
        const journal = await control.get("journal?method=POST&path=/api/v1/tryon");
        texts.push(JSON.stringify(journal));
      }
      for (const image of [images.person, images.garment]) {
        const part = image.slice(60, 120);
        const isGone = texts.every((text) => !text.includes(part));
        must(isGone, "A response has an image of the request.", response);
      }
    },
  },
  "test-key.job": {
    on: "test",
    credits: 0,
    title: "Lists and polls a job of a test key, and sends its webhook",
    rules: ["test-key.all-endpoints"],
    async run({ http, time }) {
      const hook = http.openHook();
      const jobId = await http.start({ webhook_url: hook.url });
      await http.waitForEnd(jobId);
      const page = await http.list();
      must(idsOf(page).includes(jobId), "The list lacks the job of a test key.", page);
      await time.until("the webhook of a test key's job arrives", async () =>
        hook.deliveries.length > 0 ? true : undefined,
      );
    },
  },
});

function haveSameUrl(one: HttpResponse, other: HttpResponse): boolean {
  return fieldsOf(one.json)["result_url"] === fieldsOf(other.json)["result_url"];
}

async function mustNotServe({ http }: Session, url: string, when: string): Promise<void> {
  const response = await http.request("GET", url, { key: null });
  const { status } = response;
  const message = `Expected a status of at least 400 for a result_url ${when}, got ${status}.`;
  must(status >= 400, message, response);
}

export function withSignatureChanged(url: string): string | undefined {
  return withParameter(url, /sig/i, /./, (signature) => {
    const middle = Math.floor(signature.length / 2);
    const other = signature[middle] === "0" ? "1" : "0";
    return `${signature.slice(0, middle)}${other}${signature.slice(middle + 1)}`;
  });
}

function withParameter(
  text: string,
  name: RegExp,
  value: RegExp,
  change: (value: string) => string,
): string | undefined {
  const url = new URL(text);
  const fits = (one: readonly [string, string]) => name.test(one[0]) && value.test(one[1]);
  const found = [...url.searchParams].find(fits);
  if (found === undefined) return undefined;
  url.searchParams.set(found[0], change(found[1]));
  return url.href;
}
