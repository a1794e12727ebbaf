import { readdir, readFile, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { expectEnd, linesOf, openBatch } from "../../test/cli.ts";

const shirt = "https://shop.example/shirt.png";
const csv = `id,person,garments,prompt\nlook1,${shirt},${shirt},décontracté\n`;

test.each([
  ["a byte order mark", `\uFEFF${csv}`],
  ["UTF-16", Buffer.from(`\uFEFF${csv}`, "utf16le")],
  ["windows-1252, on whose letters others agree", Buffer.from(csv, "latin1")],
  ["semicolons", csv.replaceAll(",", ";")],
  ["tabs", csv.replaceAll(",", "\t")],
  ["a line with the separator", `sep=;\r\n${csv.replaceAll(",", ";").replaceAll("\n", "\r\n")}`],
  ["an unusual separator", `"sep=^"\n${csv.replaceAll(",", "^")}`],
  ["commas in a header with semicolons", csv.replaceAll(",", ";").replace("\n", ";\n")],
  ["rows of separators", `\n,,,\n${csv},,,\n ,\t,\n,,,,,\n`],
  ["an empty last column", csv.replaceAll("\n", ",\n")],
  ["CR", csv.replaceAll("\n", "\r")],
  ["CRLF, then LF", csv.replace("\n", "\r\n,,,\n")],
])("reads CSV with %s", async (_name, content) => {
  const { batch, submitted } = await openBatch(content);
  expect((await batch()).code).toBe(0);
  expect(submitted()).toEqual([expect.objectContaining({ prompt: "décontracté" })]);
});

test("keeps an empty first cell of a file with tabs", async () => {
  const content = `id\tperson\tgarments\tprompt\n\t${shirt}\t${shirt}\t\n`;
  const { batch, submitted } = await openBatch(content);
  expect((await batch()).code).toBe(0);
  expect(submitted()).toEqual([expect.objectContaining({ person_url: shirt })]);
});

/** Rows of NDJSON with these ids. */
const withIds = (...ids: readonly string[]): string =>
  ids.map((id) => JSON.stringify({ id, person: shirt, garments: [shirt] })).join("\n");
const both = `${shirt},${shirt}`;
const one = `{"person":"${shirt}","garments":["${shirt}"]`;

test.each<[content: string | Uint8Array, message: RegExp, name?: string]>([
  // The byte of ê is a letter of Polish, too.
  [
    Buffer.from(csv.replace("éco", "êco"), "latin1"),
    /items\.csv line 2 is not text in UTF-8\. Save it as UTF-8\./,
  ],
  ["id,person,garments\n", /has no rows/],
  ["person,garmnts\na,b\n", /line 1: garmnts is not a column\. Did you mean garm/],
  ["id,person,garments,garments\na,b,c,d\n", /line 1: columns 3 and 4 are both "garm/],
  ["sep=;\nid;person;id\na;b;c\n", /line 2: columns 1 and 3 are both "id"/],
  [`person,garments,\n${both},a\n`, /line 2 has a value in column 3, which has/],
  [`person,garments\n${both},a\n`, /line 2 has a value in column 3, which has/],
  [`person,garments,prompt\n${both}\n`, /is not valid CSV: line 2 has 2 cells, .+ has 3/],
  [`person,garments,prompt\n${both},undefined\n`, /line 2: prompt is undefined, which/],
  [`person,garments,prompt\r\n\r\n"a\r\nb",${shirt},"c\r\nd"\r\n,a,b\r\n`, /line 6: person is mis/],
  [`person,garments,seed\n${both},7.5\n`, /line 2: seed must be a whole number/],
  [`person,garments,size\n${both},1K\n${both},3K\n`, /line 3: size is not one of 1K, 2K/],
  [`person,garments\n${both}\nhttp://a.example/a.png,${shirt}\n`, /line 3: person is not/],
  [`person,garments,prompt\n${both},${"a".repeat(1_001)}\n`, /line 2: prompt has 1001/],
  ["person,garments\nme.png,items.csv\n", /line 2: garments\.0 is text, not an image/],
  ["person,garments\nme.png,none.png\n", /line 2: garments is not an existing file/],
  ["person,garments\nme.png,\n", /line 2: garments has 0 images, and a try-on takes 1 to 3/],
  ["person,garments\nme.png,a|b|c|d\n", /line 2: garments has 4 images/],
  ['{"person":"me.png"}\n{', /line 2 is not a JSON object/],
  ['{"person":1,"garments":["shirt.png"]}', /line 1: person is missing/],
  [`${one},"seed":true}`, /line 1: seed must be/],
  [`${one},"seed":[7]}`, /line 1: seed must be/],
  [withIds(`${"字".repeat(70)}a`), /line 1: id names the image: .* at most 210 bytes/],
  [withIds("COM1.front"), /line 1: id names the image: Windows reserves COM1\.front/],
  [withIds("con"), /line 1: id names the image: Windows reserves con/],
  [withIds("a."), /line 1: id names the image/],
  [withIds("a "), /line 1: id names the image/],
  [withIds(".a"), /line 1: id names the image/],
  [withIds("../a"), /line 1: id names the image/],
  [withIds("\uD83E"), /line 1: id names the image/],
  [withIds("\u00E9", "e\u0301"), /lines 1 and 2 have the same id, "e\u0301"/],
  [withIds("ÉTÉ", "été"), /lines 1 and 2 have the same id, "été"/],
  ["me.png", /must be a file with the ending \.csv, \.ndjson or \.jsonl/, "items.txt"],
])("refuses %j before anything is sent: %s", async (content, message, given) => {
  const name = given ?? (String(content).startsWith("{") ? "items.ndjson" : "items.csv");
  const { batch, path, mock } = await openBatch(content, name);
  const { code, stderr } = await batch();
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  expect(stderr).toMatch(/^tryon: [^\n]+\n$/);
  expect(mock.journal.entries({ method: "POST" })).toEqual([]);
  expect(await readdir(path("."))).not.toContain("looks.journal.ndjson");
});

test("refuses a key that is twice in an object, and reads keys like it at any other place", async () => {
  const fields = `"person":"${shirt}","garments":["${shirt}"]`;
  const lines = [
    `{"id":"a",${fields},"prompt":"\\"id\\": {","more":{"id":1},"7":8,"error":{"id":1,"code":"id"}}`,
    `{"id":"b",${fields},"\\u0069d":"c"}`,
  ];
  const { batch, path, submitted } = await openBatch(lines.join("\n"), "items.ndjson");
  await expectEnd(batch("--keep-columns"), 2, /line 2: columns 1 and 4 are both "id"\./);
  expect(submitted()).toEqual([]);
  await writeFile(path("items.ndjson"), lines[0] ?? "");
  const { code, stdout } = await batch("--keep-columns", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { columns: { more: { id: 1 }, 7: 8 } }]);
  expect(submitted()).toEqual([expect.objectContaining({ prompt: '"id": {' })]);
});

test("reads a row with a value of ten million characters", async () => {
  const row = { id: "a", person: shirt, garments: [shirt], note: "x".repeat(10_000_000) };
  const { batch, submitted } = await openBatch(JSON.stringify(row), "items.ndjson");
  expect(await batch("--keep-columns")).toMatchObject({ code: 0 });
  expect(submitted()).toHaveLength(1);
});

test("maps columns with other names, and keeps other columns in the results", async () => {
  const content = `SKU;Photo;Title;garments\na;${shirt};"Coat; ""long""";${shirt}\nb;${shirt};Hat;${shirt}\n`;
  const { batch, path, submitted, run } = await openBatch(content);
  const mapped = ["--column", "id=SKU", "--column", "person=Photo", "--concurrency", "1"];
  await expectEnd(batch(), 2, "line 1: SKU is not a column.");
  await expectEnd(batch(...mapped), 2, "--keep-columns");
  const kept = [...mapped, "--keep-columns", "--max-credits", "8"];
  const { code, stdout } = await batch(...kept, "--json");
  expect(code).toBe(1);
  expect(submitted()).toHaveLength(1);
  const [a, b] = linesOf(stdout);
  expect(a).toMatchObject({ id: "a", status: "succeeded", columns: { Title: 'Coat; "long"' } });
  expect(b).toMatchObject({ id: "b", status: "not_run", columns: { Title: "Hat" } });
  const results = await readFile(path("looks.results.csv"), "utf8");
  const [head, ...rows] = results.trimEnd().split("\n");
  expect(head).toBe("id,status,job_id,path,cost_credits,error,Title");
  expect(rows[0]).toMatch(/^a,succeeded,job_\w+,\S+a\.png,8,,"Coat; ""long"""$/);
  expect(rows[1]).toBe("b,not_run,,,,budget_exceeded,Hat");
  expect(await run("looks.failures.ndjson", "--keep-columns", "--json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"columns":{"Title":"Hat"}'),
  });
});

test.each([
  ["person", /It must be NAME=COLUMN/],
  ["photo=a", /NAME is one of id, person, garments, size/],
  ["person=Photo", /--column person=Photo: \S+ has no column Photo/],
])("refuses --column %s", async (column, message) => {
  const { batch, submitted } = await openBatch(csv);
  await expectEnd(batch("--column", column), 2, message);
  expect(submitted()).toEqual([]);
});

test("refuses results with two columns of one name, or that replace a file of the user", async () => {
  const content = csv.replaceAll(",décontracté", ",x").replace("prompt", "status");
  const { batch, path, charges } = await openBatch(content);
  await expectEnd(batch("--keep-columns"), 2, "the results have another column status");
  await writeFile(path("items.csv"), csv);
  await writeFile(path("looks.results.csv"), "mine");
  await expectEnd(batch("--keep-columns"), 2, "that is not of its results");
  expect(await readFile(path("looks.results.csv"), "utf8")).toBe("mine");
  expect(await charges()).toBe(0);
});
