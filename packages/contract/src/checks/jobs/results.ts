import type { Check } from "../../check.ts";
import { images } from "../../images.ts";
import { CheckFailure, must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { readPng, readPngHeader, type PngHeader } from "../../wire/png.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { checkGroup, mustHave, mustHaveStatus, oneOf } from "../expectations.ts";
import {
  fetchImage,
  fetchResult,
  finished,
  idsOf,
  ownKey,
  pageOf,
  syncSuccess,
} from "./job-run.ts";
import type { Key } from "../../target/keys.ts";

const sizes = { "1K": 1_024, "2K": 2_048, "4K": 4_096 } as const;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Images of results. */
const imageChecks = checkGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    id: "result.png",
    title: "Makes a complete PNG",
    rules: ["result.content-type.png"],
    async run(session) {
      const { image } = await makeImage(session);
      const png = readPng(image.bytes);
      if (typeof png === "string")
        throw new CheckFailure(`The result is not a PNG: ${png}.`, image);
    },
  },
  {
    id: "result.served-as-png",
    title: "Serves the result as image/png",
    rules: ["result.content-type.png"],
    async run(session) {
      const { image } = await makeImage(session);
      const type = image.headers.get("content-type") ?? "";
      must(/^image\/png\b/i.test(type), `The result has the content type "${type}".`, image);
    },
  },
  {
    id: "job.result-size",
    title: "Has the size of the image in result_width and result_height",
    rules: ["job.result-width.pixels", "job.result-height.pixels"],
    async run(session) {
      const { answer, image } = await makeImage(session);
      const { width, height } = headerOf(image);
      const expected = { result_width: orNone(width), result_height: orNone(height) };
      mustHave(answer, expected, "the job, as in the PNG");
    },
  },
  {
    id: "job.result-bytes",
    title: "Has the length of the image in result_bytes",
    rules: ["job.result-bytes.size"],
    async run(session) {
      const { answer, image } = await makeImage(session);
      const expected = { result_bytes: orNone(image.bytes.length) };
      mustHave(answer, expected, "the job, as in the image");
    },
  },
  {
    id: "submit-response.result-url.fetched",
    title: "Serves the image at the result_url of a synchronous request",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      const answer = await syncSuccess(session, {}, { key: await ownKey(session) });
      await fetchImage(session, fieldsOf(answer.json)["result_url"]);
    },
  },
  {
    level: "paid",
    on: "live",
    credits: 40,
    id: "sizes.pixels",
    title: "Makes images of about 1024, 2048 and 4096 pixels",
    rules: ["sizes.resolution.pixels"],
    async run(session) {
      for (const [size, pixels] of Object.entries(sizes)) {
        const { image } = await makeImage(session, { output_size: size });
        const { width, height } = headerOf(image);
        // The side, and the exact size, are open points.
        const near = [width, height].some((side) => Math.abs(side - pixels) <= 0.15 * pixels);
        must(near, `An image in ${size} has ${width} × ${height} pixels.`);
      }
    },
  },
  {
    level: "paid",
    on: "live",
    id: "sizes.portrait",
    title: "Makes images with a width and height of 3:4",
    rules: ["sizes.resolution.which-side"],
    async run(session) {
      const { image } = await makeImage(session, { output_size: "1K" });
      const { width, height } = headerOf(image);
      const isPortrait = Math.abs(width / height - 3 / 4) <= 0.02;
      must(isPortrait, `An image in 1K has ${width} × ${height} pixels, which is not 3:4.`);
    },
  },
  {
    on: "test",
    credits: 0,
    id: "test-key.same-image",
    title: "Makes the same image for the same request and seed of a test key",
    rules: ["test-key.stock-image"],
    async run(session) {
      const key = await ownKey(session);
      const first = await makeImage(session, { seed: 7 }, key);
      const second = await makeImage(session, { seed: 7 }, key);
      const same = Buffer.from(first.image.bytes).equals(second.image.bytes);
      must(same, "Two requests with the same fields and seed have different images.");
    },
  },
]);

/** Signed URLs of results. */
const urlChecks = checkGroup({ level: "safe", on: "any", credits: 8 }, [
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
      const answer = await syncSuccess(session, {}, { key: await ownKey(session) });
      await session.time.pass(24 * hour - minute);
      await mustServe(session, fieldsOf(answer.json)["result_url"], "within 24 hours");
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
]);

/** Retention of jobs, results and inputs. */
const retentionChecks = checkGroup({ level: "safe", on: "any", credits: 8 }, [
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
      const { key, answer } = await finished(session);
      const texts = [answer.text, (await pageOf(session, key)).text];
      const { control } = session.context;
      if (control !== undefined) {
        const journal = await control.get("journal?method=POST&path=/api/v1/tryon");
        texts.push(JSON.stringify(journal));
      }
      for (const image of [images.person, images.garment]) {
        const part = image.slice(60, 120);
        const isGone = texts.every((text) => !text.includes(part));
        must(isGone, "A response has an image of the request.", answer);
      }
    },
  },
  {
    on: "test",
    credits: 0,
    id: "test-key.job",
    title: "Lists and polls a job of a test key, and sends its webhook",
    rules: ["test-key.whole-journey"],
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

/** Images, their URLs, and retention. */
export const results: readonly Check[] = [...imageChecks, ...urlChecks, ...retentionChecks];

/** Submits a job that succeeds, and fetches its image. */
async function makeImage(session: Session, request: Fields = {}, key?: Key) {
  const { answer, job } = await finished(session, request, key);
  return { answer, image: await fetchImage(session, job["result_url"]) };
}

/** Reads the header of an image. @throws SkipCheck when the image is not a PNG, for which another check fails. */
function headerOf(image: HttpResponse): PngHeader {
  const header = readPngHeader(image.bytes);
  if (header === undefined) throw new SkipCheck("The result is not a PNG with a readable header.");
  return header;
}

function orNone(value: number) {
  return oneOf(value, null, undefined);
}

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
