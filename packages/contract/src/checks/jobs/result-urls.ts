import { images } from "../../images.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf } from "../../wire/response.ts";
import { checkGroup, mustHave, mustHaveStatus, oneOf } from "../expectations.ts";
import { fetchResult, finished, idsOf, ownKey, pageOf, syncSuccess } from "./job-run.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Signed URLs of results, and retention of jobs, results and inputs. */
export const resultUrls = checkGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    id: "job.result-url.regenerated",
    title: "Signs a new result_url for every poll",
    rules: ["job.result-url.regenerated"],
    async run(session) {
      const { key, jobId, job } = await finished(session);
      // URLs of the same second may be equal.
      await session.time.pass(1_100);
      const again = await session.poll(jobId, { key });
      const { result_url: url } = fieldsOf(again.json);
      must(url !== job["result_url"], "Two polls have the same result_url.", again);
    },
  },
  {
    level: "full",
    id: "job.result-url.day",
    title: "Serves the result_url of a poll for 24 hours from that poll",
    rules: ["job.result-url.validity"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const { key, jobId, job } = await finished(session);
      await session.time.pass(20 * hour);
      const later = await session.poll(jobId, { key });
      const { result_url: url } = fieldsOf(later.json);
      // Another check fails when the URL is not new, and then only the rest of its day is left.
      await session.time.pass(url === job["result_url"] ? 3 * hour : 24 * hour - minute);
      await mustServe(session, url, "within 24 hours");
    },
  },
  {
    level: "full",
    id: "submit-response.result-url.day",
    title: "Serves the result_url of a synchronous request for 24 hours",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const response = await syncSuccess(session, {}, { key: await ownKey(session) });
      await session.time.pass(24 * hour - minute);
      await mustServe(session, fieldsOf(response.json)["result_url"], "within 24 hours");
    },
  },
  {
    level: "full",
    id: "job.result-url.expires",
    title: "Refuses a result_url after 24 hours",
    rules: ["job.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const { job } = await finished(session);
      await session.time.pass(24 * hour + minute);
      await mustNotServe(session, job["result_url"], "after 24 hours");
    },
  },
  {
    credits: 16,
    id: "job.result-url.signed",
    title: "Refuses a result_url that was changed",
    rules: ["submit-response.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      const { key, job } = await finished(session);
      const other = await finished(session, {}, key);
      const url = String(job["result_url"]);
      const signed = withSignatureChanged(url);
      if (signed === undefined) throw new SkipCheck("URLs of results have no signature parameter.");
      await mustNotServe(session, signed, "with another signature");
      const forged = {
        "with a later expiry": withLaterExpiry(url),
        "with the path of another job": withPathOf(url, String(other.job["result_url"])),
      };
      for (const [what, changed] of Object.entries(forged)) {
        if (changed !== undefined) await mustNotServe(session, changed, what);
      }
    },
  },
  {
    id: "states.terminal.final",
    title: "Never changes a job that has ended",
    rules: ["states.terminal.final"],
    async run(session) {
      const { key, jobId, job } = await finished(session);
      const { status, completed_at, duration_ms } = job;
      const ended = {
        status: oneOf(status),
        completed_at: oneOf(completed_at),
        duration_ms: oneOf(duration_ms),
      };
      for (const wait of session.time.virtual ? [minute, hour, 31 * day] : [1_000, 2_000]) {
        await session.time.pass(wait);
        mustHave(await session.poll(jobId, { key }), ended, "a poll of a job that has ended");
      }
    },
  },
  {
    level: "full",
    id: "privacy.results.kept",
    title: "Keeps a result for 30 days",
    rules: ["privacy.results.thirty-days"],
    async run(session) {
      needVirtualTime(session, "30 days");
      const { key, jobId } = await finished(session);
      await session.time.pass(30 * day - hour);
      const poll = await session.poll(jobId, { key });
      await mustServe(session, fieldsOf(poll.json)["result_url"], "within 30 days");
    },
  },
  {
    level: "full",
    id: "privacy.results.deleted",
    title: "Deletes a result after 30 days",
    rules: ["privacy.results.thirty-days", "privacy.results.after-purge"],
    async run(session) {
      needVirtualTime(session, "30 days");
      const { key, jobId } = await finished(session);
      // The service may delete results once an hour or once a day.
      await session.time.pass(31 * day);
      const poll = await session.poll(jobId, { key });
      const { result_url: url } = fieldsOf(poll.json);
      if (typeof url === "string") await mustNotServe(session, url, "after 30 days");
    },
  },
  {
    id: "privacy.inputs",
    title: "Returns no image of the request after the end of the job",
    rules: ["privacy.inputs.dropped"],
    async run(session) {
      const { key, response } = await finished(session);
      const texts = [response.text, (await pageOf(session, key)).text];
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
  {
    on: "test",
    credits: 0,
    id: "test-key.job",
    title: "Lists and polls a job of a test key, and sends its webhook",
    rules: ["test-key.all-endpoints"],
    async run(session) {
      const hook = session.openHook();
      const key = await ownKey(session);
      const jobId = await session.start({ webhook_url: hook.url }, { key });
      await session.waitForEnd(jobId, { key });
      const page = await pageOf(session, key);
      must(idsOf(page).includes(jobId), "The list lacks the job of a test key.", page);
      await session.until("the webhook of a test key's job arrives", async () =>
        hook.deliveries.length > 0 ? true : undefined,
      );
    },
  },
]);

async function mustServe(session: Session, url: unknown, when: string): Promise<void> {
  mustHaveStatus(await fetchResult(session, url), 200, `a result_url ${when}`);
}

async function mustNotServe(session: Session, url: unknown, when: string): Promise<void> {
  const response = await fetchResult(session, url);
  const { status } = response;
  const message = `Expected a status of at least 400 for a result_url ${when}, got ${status}.`;
  must(status >= 400, message, response);
}

/** @throws SkipCheck where time is real. */
function needVirtualTime({ time }: Session, span: string): void {
  if (time.virtual) return;
  throw new SkipCheck(`It takes ${span}: only a deployment whose clock the kit controls shows it.`);
}

/** Changes the signature of a URL. @returns undefined where no parameter is a signature. */
export function withSignatureChanged(text: string): string | undefined {
  const url = new URL(text);
  const name = [...url.searchParams.keys()].find((key) => /sig/i.test(key));
  const signature = name === undefined ? null : url.searchParams.get(name);
  if (name === undefined || !signature) return undefined;
  const middle = Math.floor(signature.length / 2);
  const other = signature[middle] === "0" ? "1" : "0";
  url.searchParams.set(name, `${signature.slice(0, middle)}${other}${signature.slice(middle + 1)}`);
  return url.href;
}

function withLaterExpiry(text: string): string | undefined {
  const url = new URL(text);
  for (const [name, value] of url.searchParams) {
    if (!/expire/i.test(name) || !/^\d+$/.test(value)) continue;
    url.searchParams.set(name, String(Number(value) + 1));
    return url.href;
  }
  return undefined;
}

/** Replaces the path of a URL. @returns undefined where the path does not name the job. */
function withPathOf(text: string, other: string): string | undefined {
  const url = new URL(text);
  const { pathname } = new URL(other);
  if (pathname === url.pathname) return undefined;
  url.pathname = pathname;
  return url.href;
}
