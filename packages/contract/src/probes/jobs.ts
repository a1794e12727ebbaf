import type { Probe } from "../check.ts";
import { must } from "../outcome.ts";
import { fieldsOf } from "../wire/answer.ts";

export const jobProbes: readonly Probe[] = [
  {
    id: "observed.timeFormat",
    option: "timeFormat",
    title: "How times are written",
    rules: ["job.completed-at.form"],
    level: "safe",
    on: "any",
    credits: 8,
    async observe(session) {
      const answer = await session.whole();
      const { completed_at: time } = fieldsOf(answer.json);
      must(typeof time === "string", "A job that has ended has no completed_at.", answer);
      if (time.endsWith("Z")) return "Z";
      return /[+-]\d\d:\d\d$/.test(time) ? "offset" : "naive";
    },
  },
];
