import { isDeepStrictEqual } from "node:util";

import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { ownKey } from "./journey.ts";
import { cursorOf, idsOf, pageOf, startAndList } from "./pages.ts";

const free = { level: "safe", on: "any", credits: 40 } as const;

/** How many pages of a key's history are looked through for their end. */
const mostPages = 20;

export const paging: readonly Check[] = [
  {
    ...free,
    id: "list.paging.whole",
    title: "Pages one after another have every job once",
    rules: ["list.next-cursor.continues"],
    async run(session) {
      const key = await ownKey(session);
      const { ids } = await startAndList(session, key, 5);
      const found: string[] = [];
      let page: HttpResponse = await pageOf(session, key, { limit: "2" });
      for (let read = 0; read < mostPages; read += 1) {
        found.push(...idsOf(page).filter((id) => ids.includes(id)));
        const cursor = cursorOf(page);
        if (cursor === undefined || found.length >= ids.length) break;
        page = await pageOf(session, key, { limit: "2", cursor });
      }
      for (const id of ids) {
        const times = found.filter((one) => one === id).length;
        must(times === 1, `${id} is ${times} times on the pages, and not once.`, page);
      }
    },
  },
  {
    ...free,
    id: "list.paging.inserts",
    title: "The page behind a cursor stays the same while jobs are added",
    rules: ["list.next-cursor.continues"],
    async run(session) {
      const key = await ownKey(session);
      await startAndList(session, key, 4);
      const cursor = cursorOf(await pageOf(session, key, { limit: "2" }));
      if (cursor === undefined) throw new SkipCheck("The list gave no second page.");
      const before = await pageOf(session, key, { limit: "2", cursor });
      await startAndList(session, key, 1);
      const after = await pageOf(session, key, { limit: "2", cursor });
      must(
        isDeepStrictEqual(new Set(idsOf(before)), new Set(idsOf(after))),
        `A page had ${idsOf(before).join(", ")}, and ${idsOf(after).join(", ")} after a job was added.`,
        after,
      );
    },
  },
  {
    ...free,
    credits: 16,
    id: "list.paging.end",
    title: "next_cursor is null on the last page, a full one too",
    rules: ["list.next-cursor.null-at-end"],
    async run(session) {
      const key = await ownKey(session);
      await startAndList(session, key, 2);
      // A key of the check's own has no other jobs; the history of another one is looked through.
      const limit = session.bench.control === undefined ? "50" : "2";
      const most = limit === "2" ? 1 : mostPages;
      let page = await pageOf(session, key, { limit });
      for (let read = 1; read < most; read += 1) {
        const cursor = cursorOf(page);
        if (cursor === undefined || idsOf(page).length === 0) break;
        page = await pageOf(session, key, { limit, cursor });
      }
      if (most > 1 && cursorOf(page) !== undefined && idsOf(page).length > 0) {
        throw new SkipCheck(`The history of the key is longer than ${mostPages} pages.`);
      }
      must(cursorOf(page) === undefined, "The last page has a next_cursor.", page);
    },
  },
  {
    ...free,
    credits: 16,
    id: "list.paging.cursor",
    title: "A cursor has the form of a job id",
    rules: ["list.cursor.form"],
    async run(session) {
      const key = await ownKey(session);
      await startAndList(session, key, 2);
      const page = await pageOf(session, key, { limit: "1" });
      const cursor = cursorOf(page);
      if (cursor === undefined) throw new SkipCheck("The list gave no second page.");
      must(/^job_[a-zA-Z0-9]+$/.test(cursor), "next_cursor has not the form of a job id.", page);
    },
  },
];
