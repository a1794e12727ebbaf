import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";

const badForm = { seed: -1 };
const badMeaning = { person_image_b64: undefined };
const rules = ["endpoints.refusals.order"];

/** How often a limit is tried to be met before the window ends. */
const tries = 3;

/** Which refusal a request gets that deserves two. */
export const refusalOrder: readonly Check[] = [
  {
    id: "refusal-order.key-before-form",
    title: "Looks at the key before the fields of a body",
    rules,
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.submit(badForm, { key: null });
      const { status } = answer;
      must(status === 401, `A bad seed without a key was answered ${status}, not 401.`, answer);
    },
  },
  {
    id: "refusal-order.state-before-form",
    title: "Looks at whether a key is disabled before the fields of a body",
    rules,
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const answer = await session.submit(badForm, { key: session.keyNamed("disabled") });
      const { status } = answer;
      // Which of the two it is has a check of its own.
      const known = status === 401 || status === 403;
      must(known, `A bad seed of a disabled key was answered ${status}, not 403.`, answer);
    },
  },
  {
    id: "refusal-order.form-before-meaning",
    title: "Looks at the form of all fields before their meaning",
    rules,
    level: "safe",
    on: "any",
    credits: 24,
    async run(session) {
      const form = await session.submit(badForm);
      const meaning = await session.submit(badMeaning);
      const both = await session.submit({ ...badForm, ...badMeaning });
      if (form.status === meaning.status || [form.status, meaning.status].includes(200)) {
        throw new SkipCheck(
          `Bad form is answered ${form.status}, and bad meaning ${meaning.status}.`,
        );
      }
      const seen = `A bad seed without a person was answered ${both.status}`;
      must(both.status === form.status, `${seen}, and not ${form.status} as the seed alone.`, both);
    },
  },
  {
    id: "refusal-order.meaning-before-credits",
    title: "Looks at what a submission means before it looks at the credits",
    rules,
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const alone = await session.submit(badMeaning);
      if (alone.status === 200) throw new SkipCheck("A submission without a person was taken.");
      const key = await session.freshKey({ credits: 0 });
      const answer = await session.submit(badMeaning, { key });
      must(answer.status !== 402, "No person and no credits were answered 402.", answer);
    },
  },
  {
    id: "refusal-order.limit-before-form",
    title: "Looks at the rate limit before the fields of a body",
    rules,
    level: "safe",
    on: "any",
    credits: 8 * tries,
    async run(session) {
      const key = await session.freshKey({ rate_limit_per_min: 1 });
      for (let attempt = 1; ; attempt += 1) {
        await session.account({ key, take429: true });
        const answer = await session.submit(badForm, { key, take429: true });
        if (answer.status === 429) return;
        // The window may have ended between the two.
        const seen = `A bad seed over the limit was answered ${answer.status}, not 429.`;
        must(attempt < tries, seen, answer);
      }
    },
  },
];
