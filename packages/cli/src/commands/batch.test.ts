import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { openShop } from "../../test/cli.ts";

const header = "id,person,garments,size";

async function openBatch(...rows: readonly string[]) {
  const shop = await openShop();
  const { path } = shop;
  await writeFile(path("items.csv"), [header, ...rows].join("\r\n"));
  const batch = (...more: readonly string[]) =>
    shop.tryon(["batch", path("items.csv"), "--out", path("looks"), ...more]);
  return { ...shop, batch };
}

const linesOf = (text: string): unknown[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

test("saves an image for each row of a CSV file, and prints a summary", async () => {
  const { batch, path, charges } = await openBatch(
    "skirt,me.png,shirt.png,1K",
    '"coat 2",me.png,"shirt.png|https://shop.example/coat.png",',
  );
  const { code, stdout, stderr } = await batch("--max-credits", "16");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "Price: at most 16 credits for 2 try-ons\n",
  });
  expect(stdout).toBe(
    "TRY-ONS  SUCCEEDED  FAILED  NOT RUN  EARLIER  CREDITS\n      2          2       0        0        0       16\n",
  );
  expect((await readdir(path("looks"))).toSorted()).toEqual(["coat 2.png", "skirt.png"]);
  expect(await charges()).toBe(2);
});

test("continues with NDJSON, prints JSON, and downloads only missing images", async () => {
  const { tryon, path, charges } = await openShop();
  const row = { person: "me.png", garments: ["shirt.png"], seed: 7 };
  const rows = [row, { ...row, id: "b", prompt: "loose" }].map((one) => JSON.stringify(one));
  await writeFile(path("items.ndjson"), rows.join("\n"));
  const argv = ["batch", path("items.ndjson"), "--out", path("looks"), "--json"];
  const first = await tryon(argv);
  expect(first.code).toBe(0);
  await writeFile(path("looks/b.png"), "mine");
  const { code, stdout } = await tryon(argv);
  expect(code).toBe(0);
  expect(linesOf(stdout)).toEqual(
    expect.arrayContaining([
      {
        id: "b",
        status: "succeeded",
        job_id: expect.stringMatching(/^job_/),
        path: path("looks/b.png"),
        cost_credits: 8,
        from_journal: true,
      },
      expect.objectContaining({ id: expect.stringMatching(/^look-[0-9a-f]{12}$/) }),
    ]),
  );
  expect(await readFile(path("looks/b.png"), "utf8")).toBe("mine");
  expect(await charges()).toBe(2);
});

test("writes failures to a file that is an input: a failed job gets a new id, and nothing else is paid again", async () => {
  const { batch, tryon, path, mock, charges } = await openBatch(
    "a,me.png,shirt.png,1K",
    "b,me.png,https://shop.example/b.png,1K",
  );
  mock.nextJob({ outcome: "content_blocked" });
  const { code, stderr } = await batch();
  expect(code).toBe(1);
  expect(stderr).toMatch(/1 × Job job_\w+ failed: content_blocked\./);
  const failures = path("looks.failures.ndjson");
  const [failure] = linesOf(await readFile(failures, "utf8"));
  expect(failure).toMatchObject({
    id: expect.stringMatching(/^[ab]-try-2$/),
    person: path("me.png"),
    error: { code: "job_failed" },
  });
  const paid = await charges();
  // The journal keeps the failure of the first id.
  expect((await batch()).code).toBe(1);
  expect(await charges()).toBe(paid);
  expect((await tryon(["batch", failures, "--out", path("looks")])).code).toBe(0);
  expect(await charges()).toBe(paid + 1);
  await expect(readFile(failures)).rejects.toThrow("ENOENT");
  expect(await readdir(path("looks"))).toContain(`${Reflect.get(Object(failure), "id")}.png`);
});

test("stops at --max-credits of all runs, and continues with more", async () => {
  const rows = ["a", "b", "c"].map((id) => `${id},me.png,https://shop.example/${id}.png,`);
  const { batch, charges } = await openBatch(...rows);
  const { code, stderr } = await batch("--max-credits", "16");
  expect(code).toBe(1);
  expect(stderr).toContain("Raise --max-credits. Then run the same command again.");
  expect(await charges()).toBe(2);
  expect((await batch("--max-credits", "16")).code).toBe(1);
  expect(await charges()).toBe(2);
  expect((await batch("--max-credits", "24")).code).toBe(0);
  expect(await charges()).toBe(3);
});

test("writes failures for their owner only, and follows no link", async () => {
  const { batch, path } = await openBatch("a,me.png,https://shop.example/a.png?signature=5e,1K");
  const failures = path("looks.failures.ndjson");
  writeFileSync(path("other"), "mine");
  for (const ending of [".part", ".tmp"]) symlinkSync(path("other"), `${failures}${ending}`);
  const files = readdirSync(path("."));
  for (const mode of [0o644, 0o600]) {
    expect((await batch("--max-credits", "7")).code).toBe(1);
    expect(readFileSync(failures, "utf8")).toContain("signature");
    expect(statSync(failures).mode % 0o1000).toBe(0o600);
    chmodSync(failures, mode);
  }
  expect(readFileSync(path("other"), "utf8")).toBe("mine");
  const added = readdirSync(path(".")).filter((name) => !files.includes(name));
  expect(added.toSorted()).toEqual(["looks", "looks.failures.ndjson", "looks.journal.ndjson"]);
});

test.each([
  ["items.csv", `${header}\n`, /has no rows/],
  [
    "items.csv",
    "person,garmnts\nme.png,shirt.png\n",
    /line 2: "garmnts" is not a column.*Did you mean garments\?/,
  ],
  ["items.csv", "person,garments\nme.png\n", /is not valid CSV: /],
  [
    "items.csv",
    "person,garments\nme.png,\n",
    /line 2: garments has 0 images, and a try-on takes 1 to 3/,
  ],
  ["items.csv", "person,garments\nme.png,a|b|c|d\n", /line 2: garments has 4 images/],
  ["items.csv", "person,garments\n,shirt.png\n", /line 2: person is missing/],
  [
    "items.csv",
    "person,garments\nme.png,none.png\n",
    /garments of look-\w+ is not an existing file/,
  ],
  [
    "items.csv",
    "id,person,garments\nA,me.png,shirt.png\na,me.png,shirt.png\n",
    /lines 2 and 3 have the same id, "a"/,
  ],
  ["items.csv", "id,person,garments\n../a,me.png,shirt.png\n", /line 2: id names the image/],
  ["items.csv", "id,person,garments\n.a,me.png,shirt.png\n", /line 2: id names the image/],
  ["items.ndjson", '{"person":"me.png"}\n{', /line 2 is not a JSON object/],
  ["items.ndjson", '{"person":1,"garments":["shirt.png"]}', /line 1: person is missing/],
  ["items.txt", "me.png", /must be a file with the ending \.csv, \.ndjson or \.jsonl/],
])("rejects %s %j with exit code 2 before anything is paid", async (name, content, message) => {
  const { tryon, path, charges } = await openShop();
  await writeFile(path(name), content);
  const { code, stderr } = await tryon(["batch", path(name), "--out", path("looks")]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^tryon: [^\n]+\n$/);
  expect(stderr).toMatch(message);
  expect(await charges()).toBe(0);
});

test("ends with 130 after Ctrl+C, and continues without a second charge", async () => {
  const { tryon, path, mock, charges } = await openShop({ latency: "30s", clock: "manual" });
  await writeFile(path("items.csv"), `${header}\na,me.png,shirt.png,\n`);
  const argv = ["batch", path("items.csv"), "--out", path("looks")];
  const controller = new AbortController();
  const running = tryon(argv, { signal: controller.signal });
  await expect.poll(charges).toBe(1);
  controller.abort();
  expect(await running).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("Run the same command again: nothing is charged twice."),
  });
  const again = tryon(argv);
  await mock.clock.advance("31s");
  expect(await again).toMatchObject({ code: 0 });
  expect(await charges()).toBe(1);
});
