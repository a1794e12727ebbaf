import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { images } from "../../images.ts";
import { fieldsOf } from "../../wire/response.ts";
import { fetchResult, finished, needVirtualTime } from "./journey.ts";
import { pageOf } from "./pages.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** What is kept of a job, and for how long. */
export const retention: readonly Check[] = [
  {
    ...free,
    id: "states.terminal.final",
    title: "A job that has ended stays as it ended",
    rules: ["states.terminal.final"],
    async run(session) {
      const { key, jobId, job } = await finished(session);
      const waits = session.time.virtual ? [minute, hour, 31 * day] : [1_000, 2_000];
      for (const wait of waits) {
        await session.time.pass(wait);
        const answer = await session.poll(jobId, { key });
        const later = fieldsOf(answer.json);
        for (const name of ["status", "completed_at", "duration_ms"]) {
          must(
            later[name] === job[name],
            `The ${name} of a job that has ended went from ${String(job[name])} to ${String(later[name])}.`,
            answer,
          );
        }
      }
    },
  },
  {
    ...free,
    level: "full",
    id: "privacy.results.kept",
    title: "A result can be had for 30 days",
    rules: ["privacy.results.thirty-days"],
    async run(session) {
      needVirtualTime(session, "30 days");
      const { key, jobId } = await finished(session);
      await session.time.pass(30 * day - hour);
      const poll = await session.poll(jobId, { key });
      const { result_url: address } = fieldsOf(poll.json);
      must(typeof address === "string", "Within 30 days the job has no result_url.", poll);
      const answer = await fetchResult(session, address);
      must(answer.status === 200, `Within 30 days it was answered ${answer.status}.`, answer);
    },
  },
  {
    ...free,
    level: "full",
    id: "privacy.results.deleted",
    title: "After 30 days a result is gone",
    rules: ["privacy.results.thirty-days", "privacy.results.after-purge"],
    async run(session) {
      needVirtualTime(session, "30 days");
      const { key, jobId } = await finished(session);
      // The deletion may take its turn once an hour or once a day.
      await session.time.pass(31 * day);
      const poll = await session.poll(jobId, { key });
      const { result_url: address } = fieldsOf(poll.json);
      if (typeof address !== "string") return;
      const answer = await fetchResult(session, address);
      must(answer.status >= 400, "The image can be had after 30 days.", answer);
    },
  },
  {
    ...free,
    id: "privacy.inputs",
    title: "Nothing that is said of a job after its end has the images that were sent",
    rules: ["privacy.inputs.dropped"],
    async run(session) {
      const { key, answer } = await finished(session);
      const page = await pageOf(session, key);
      const texts = [answer.text, page.text];
      const { control } = session.bench;
      if (control !== undefined) {
        const journal = await control.get("journal?method=POST&path=/api/v1/tryon");
        texts.push(JSON.stringify(journal));
      }
      for (const image of [images.person, images.garment]) {
        const part = image.slice(60, 120);
        must(
          texts.every((text) => !text.includes(part)),
          "An image that was sent is shown.",
          answer,
        );
      }
    },
  },
];
