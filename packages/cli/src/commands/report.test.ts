import { readdir, readFile, writeFile } from "node:fs/promises";

import { TryOn } from "@tryon/client";
import { openJournal } from "@tryon/client/node";
import type { MockOptions } from "@tryon/mock";
import { expect, test } from "vitest";

import { expectEnd, linesOf, openShop } from "../../test/cli.ts";

const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;
const header = "kind,group,id,jobs,succeeded,failed,open,credits,note";
const all = ["--from", "2020-01-01"];

/** Opens a shop whose client makes try-ons of a campaign. */
async function openReport(options: MockOptions = {}) {
  const shop = await openShop(options);
  const { mock, server, tryon } = shop;
  const client = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url, logger: {} });
  const make = async (campaign?: string, prompt?: string): Promise<string> => {
    const metadata = campaign === undefined ? undefined : { campaign };
    const job = await client.submit({ ...input, metadata, prompt });
    await job.result().catch(() => undefined);
    return job.id;
  };
  const report = async (...argv: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await tryon(["report", ...argv]);
    expect(code, stderr).toBe(0);
    const [first, ...rows] = stdout.trimEnd().split("\n");
    expect(first).toBe(header);
    return rows;
  };
  const ledger = async () => {
    const { balance = 0, entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    return { balance, entries };
  };
  return { ...shop, client, make, report, ledger };
}

const blocked = "mock:content_blocked";
const failed = "mock:model_rejected";

test("sums jobs and credits by metadata, as the ledger does", async () => {
  const { make, report, ledger, tryon } = await openReport();
  for (const campaign of ["spring", "spring", "=cmd()", 'say "hi"', undefined]) {
    await make(campaign);
  }
  const id = await make("spring", blocked);
  const { balance } = await ledger();
  expect(balance).toBe(1_000 - 6 * 8);
  expect(await report(...all, "--by", "metadata.campaign")).toEqual([
    "group,spring,,3,2,1,0,24,",
    "group,,,1,1,0,0,8,",
    'group,"say ""hi""",,1,1,0,0,8,',
    "group,'=cmd(),,1,1,0,0,8,",
    "total,,,6,5,1,0,48,",
    `balance,,,,,,,${balance},`,
    `refund_unknown,,${id},,,,,8,content_blocked`,
  ]);
  const json = await tryon(["report", ...all, "--json"]);
  expect(linesOf(json.stdout)).toEqual([
    { kind: "total", jobs: 6, succeeded: 5, failed: 1, open: 0, credits: 48 },
    { kind: "balance", credits: balance },
    { kind: "refund_unknown", id, credits: 8, note: "content_blocked" },
  ]);
});

test.each([
  ["none", 0],
  ["failed", 2],
  ["failed-except-content-blocked", 1],
] as const)("finds in the balance that the refund is %s", async (refund, refunds) => {
  const { make, report, ledger } = await openReport({ options: { refund } });
  for (const prompt of [undefined, blocked, failed]) await make("spring", prompt);
  const { balance, entries } = await ledger();
  expect(entries.filter(({ cause }) => cause === "refund")).toHaveLength(refunds);
  expect(await report(...all, "--opening-balance", "1000")).toEqual([
    "total,,,3,1,2,0,24,",
    `balance,,,,,,,${balance},`,
  ]);
  // Another sum fits no policy of refunds.
  expect(await report(...all, "--opening-balance", "1001")).toContainEqual(
    expect.stringMatching(/^refund_unknown,,job_\w+,,,,,8,content_blocked$/),
  );
});

test("lists credits that no job, no journal and no cost explains", async () => {
  const { client, make, report, ledger, tryon, path, mock } = await openReport();
  await writeFile(
    path("items.csv"),
    `id,person,garments\n${["a", "b"].map((id) => `${id},me.png,shirt.png`).join("\n")}\n`,
  );
  expect((await tryon(["batch", path("items.csv"), "--out", path("looks")])).code).toBe(0);
  const journal = ["--journal", path("looks.journal.ndjson")];
  expect(await report(...all, ...journal)).toEqual(["total,,,2,2,0,0,16,", "balance,,,,,,,984,"]);
  // A second submission of an item, outside its journal.
  const id = await make("spring");
  expect(await report(...all, ...journal)).toEqual([
    `unexplained,,${id},,,,,8,job is not in the journal`,
    "total,,,3,3,0,0,24,",
    "balance,,,,,,,976,",
  ]);
  // The list has lost a job of the journal, and the balance has not.
  const [lost] = await client.jobs.list().toArray();
  mock.faults.add({
    on: "GET /api/v1/tryon",
    times: 1,
    status: 200,
    body: { jobs: [lost?.data], next_cursor: null },
  });
  const rows = await report(...all, ...journal, "--opening-balance", "1000");
  expect(rows).toHaveLength(6);
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^unexplained,,job_\w+,,,,,8,item a of the journal is not in the list$/,
      ),
      expect.stringMatching(
        /^unexplained,,job_\w+,,,,,8,item b of the journal is not in the list$/,
      ),
      'unexplained,,,,,,,16,"spent since --from, and by no job"',
    ]),
  );
  expect((await ledger()).balance).toBe(976);
});

test("reports an item whose submission has an unknown outcome, unless the list has its job", async () => {
  const { client, report, path } = await openReport();
  const file = path("looks.journal.ndjson");
  const journal = await openJournal(file);
  const entry = { digest: "5e", sync: false, sentAt: Date.now() };
  for (const id of ["known", "unknown"]) {
    await journal.put({ ...entry, id, state: "sending", idempotencyKey: `key of ${id}` });
  }
  await journal.put({ ...entry, id: "refused", state: "refused", idempotencyKey: "key" });
  await journal.close();
  await client.submit(input, { idempotencyKey: "key of known", keyInMetadata: true });
  expect(await report(...all, "--journal", file)).toEqual([
    "unexplained,,,,,,,,item unknown of the journal has an unknown outcome",
    expect.stringMatching(/^total,,,1,/),
    "balance,,,,,,,992,",
  ]);
});

test("takes jobs from --from up to --to, over many pages", async () => {
  const { client, make, report, mock } = await openReport();
  // Credits for all of them.
  await client.credits.purchase({
    pack_slug: "starter",
    shared_payment_granted_token: "spt_report",
  });
  const days = ["2026-11-01", "2026-11-02", "2026-11-03"];
  for (const day of days) {
    mock.clock.set(Date.parse(`${day}T12:00:00Z`));
    await Promise.all(Array.from({ length: 60 }, () => make(day)));
  }
  const range = ["--from", "2026-11-02", "--to", "2026-11-03T00:00:00Z"];
  expect(await report(...range, "--by", "metadata.campaign", "--opening-balance", "1720")).toEqual([
    "group,2026-11-02,,60,60,0,0,480,",
    "total,,,60,60,0,0,480,",
    "balance,,,,,,,760,",
  ]);
});

test("writes a file that is complete, and replaces none", async () => {
  const { make, tryon, path, mock } = await openReport();
  await make("spring");
  const out = path("report.csv");
  const argv = ["report", ...all, "--out", out];
  mock.faults.add({ on: "GET /api/v1/tryon", status: 400, body: { detail: "no" } });
  expect((await tryon(argv)).code).toBe(1);
  mock.faults.clear();
  expect((await readdir(path("."))).filter((name) => name.includes("report"))).toEqual([]);
  expect(await tryon(argv)).toEqual({ code: 0, stdout: "", stderr: `Report: ${out}\n` });
  expect(await readFile(out, "utf8")).toBe(`${header}\ntotal,,,1,1,0,0,8,\nbalance,,,,,,,992,\n`);
  await expectEnd(tryon(argv), 2, "--out would replace an existing file");
});

test.each([
  [["--from", "November"], "It must be such as 2026-11-01"],
  [[...all, "--to", "2019-01-01"], "--to must be after --from"],
  [[...all, "--by", "sku"], "It must be metadata.NAME"],
  [[...all, "--journal", "none.ndjson"], "--journal does not exist: none.ndjson"],
  [[], "--from"],
])("refuses %j", async (argv, message) => {
  const { tryon } = await openShop();
  const { code, stderr } = await tryon(["report", ...argv]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
