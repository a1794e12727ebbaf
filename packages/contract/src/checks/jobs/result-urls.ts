import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { fetchResult, finished, heldSuccess, needVirtualTime, ownKey } from "./journey.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;
const minute = 60_000;
const hour = 60 * minute;

/** The signed addresses of results. */
export const resultUrls: readonly Check[] = [
  {
    ...free,
    id: "job.result-url.regenerated",
    title: "Every poll signs a new result_url",
    rules: ["job.result-url.regenerated"],
    async run(session) {
      const { key, jobId, job } = await finished(session);
      // Addresses that hold good from one second on may be the same within it.
      await session.time.pass(1_100);
      const again = await session.poll(jobId, { key });
      const { result_url: address } = fieldsOf(again.json);
      must(address !== job["result_url"], "Two polls gave the very same result_url.", again);
    },
  },
  {
    ...free,
    level: "full",
    id: "job.result-url.day",
    title: "The result_url of a poll works for 24 hours from that poll",
    rules: ["job.result-url.validity"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const { key, jobId, job } = await finished(session);
      await session.time.pass(20 * hour);
      const later = await session.poll(jobId, { key });
      const { result_url: address } = fieldsOf(later.json);
      // Where it is no new one, that is another check's, and only the rest of its day is left.
      await session.time.pass(address === job["result_url"] ? 3 * hour : 24 * hour - minute);
      const answer = await fetchResult(session, address);
      must(answer.status === 200, workedNoMore(answer), answer);
    },
  },
  {
    ...free,
    level: "full",
    id: "submit-answer.result-url.day",
    title: "The result_url of a held call works for 24 hours",
    rules: ["submit-response.result-url.validity"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const held = await heldSuccess(session, {}, { key: await ownKey(session) });
      await session.time.pass(24 * hour - minute);
      const answer = await fetchResult(session, fieldsOf(held.json)["result_url"]);
      must(answer.status === 200, workedNoMore(answer), answer);
    },
  },
  {
    ...free,
    level: "full",
    id: "job.result-url.expires",
    title: "A result_url works no more once its 24 hours are over",
    rules: ["job.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      needVirtualTime(session, "24 hours");
      const { job } = await finished(session);
      await session.time.pass(24 * hour + minute);
      const answer = await fetchResult(session, job["result_url"]);
      must(
        answer.status >= 400,
        `An address that is over 24 hours old was answered ${answer.status}.`,
        answer,
      );
    },
  },
  {
    ...free,
    credits: 16,
    id: "job.result-url.signed",
    title: "A result_url that was changed works no more",
    rules: ["submit-response.result-url.validity", "job.result-url.expired-answer"],
    async run(session) {
      const { key, job } = await finished(session);
      const other = await finished(session, {}, { key });
      const address = String(job["result_url"]);
      const forged: Readonly<Record<string, string | undefined>> = {
        "with another signature": withSignatureChanged(address),
        "with a later expiry": withLaterExpiry(address),
        "with the path of another job": withPathOf(address, String(other.job["result_url"])),
      };
      const tried = Object.entries(forged).filter(([, changed]) => changed !== undefined);
      if (forged["with another signature"] === undefined) {
        throw new SkipCheck("The addresses of results have no parameter that is a signature.");
      }
      for (const [what, changed] of tried) {
        const answer = await fetchResult(session, changed);
        must(answer.status >= 400, `An address ${what} was answered ${answer.status}.`, answer);
      }
    },
  },
];

function workedNoMore({ status }: HttpResponse): string {
  return `Within its 24 hours the address was answered ${status}.`;
}

/** The address with another signature, or undefined where there is none to be seen. */
export function withSignatureChanged(address: string): string | undefined {
  const url = new URL(address);
  const name = [...url.searchParams.keys()].find((key) => /sig/i.test(key));
  const signature = name === undefined ? null : url.searchParams.get(name);
  if (name === undefined || !signature) return undefined;
  const middle = Math.floor(signature.length / 2);
  const other = signature[middle] === "0" ? "1" : "0";
  url.searchParams.set(name, `${signature.slice(0, middle)}${other}${signature.slice(middle + 1)}`);
  return url.href;
}

function withLaterExpiry(address: string): string | undefined {
  const url = new URL(address);
  for (const [name, value] of url.searchParams) {
    if (!/expire/i.test(name) || !/^\d+$/.test(value)) continue;
    url.searchParams.set(name, String(Number(value) + 1));
    return url.href;
  }
  return undefined;
}

function withPathOf(address: string, other: string): string | undefined {
  const url = new URL(address);
  const { pathname } = new URL(other);
  // Where the path names no job there is nothing to be changed.
  if (pathname === url.pathname) return undefined;
  url.pathname = pathname;
  return url.href;
}
