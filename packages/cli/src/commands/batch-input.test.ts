import { readFile, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { openShop } from "../../test/cli.ts";

const shirt = "https://shop.example/shirt.png";
const csv = `id,person,garments,prompt\nlook1,${shirt},${shirt},décontracté\n`;

async function openBatch(name: string, content: string | Uint8Array) {
  const shop = await openShop();
  const { path, tryon, mock } = shop;
  await writeFile(path(name), content);
  const batch = (...more: readonly string[]) =>
    tryon(["batch", path(name), "--out", path("looks"), ...more]);
  const submitted = () =>
    mock.journal.entries({ method: "POST" }).map(({ submission }) => submission?.fields);
  return { ...shop, batch, submitted };
}

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
  const { batch, submitted } = await openBatch("items.csv", content);
  expect((await batch()).code).toBe(0);
  expect(submitted()).toEqual([expect.objectContaining({ prompt: "décontracté" })]);
});

test("keeps an empty first cell of a file with tabs", async () => {
  const content = `id\tperson\tgarments\tprompt\n\t${shirt}\t${shirt}\t\n`;
  const { batch, submitted } = await openBatch("items.csv", content);
  expect((await batch()).code).toBe(0);
  expect(submitted()).toEqual([expect.objectContaining({ person_url: shirt })]);
});

test.each([
  // The byte of ê is a letter of Polish, too.
  [
    Buffer.from(csv.replace("éco", "êco"), "latin1"),
    /items\.csv line 2 is not text in UTF-8\. Save it as UTF-8\./,
  ],
  ["id,person,garments,garments\na,b,c,d\n", /line 1: columns 3 and 4 are both "garments"/],
  ["sep=;\nid;person;id\na;b;c\n", /line 2: columns 1 and 3 are both "id"/],
  [`person,garments,\n${shirt},${shirt},a\n`, /line 2 has a value in column 3, which has no name/],
  [`person,garments\n${shirt},${shirt},a\n`, /line 2 has a value in column 3, which has no name/],
  [`person,garments,prompt\n${shirt},${shirt}\n`, /line 2 has 2 cells, and the header has 3/],
  [`person,garments,prompt\n${shirt},${shirt},undefined\n`, /line 2: prompt is undefined, which/],
  [`person,garments,prompt\r\n\r\n"a\r\nb",${shirt},"c\r\nd"\r\n,a,b\r\n`, /line 6: person is mis/],
  [`person,garments,seed\n${shirt},${shirt},7.5\n`, /line 2: seed must be a whole number/],
  [
    `person,garments,size\n${shirt},${shirt},1K\n${shirt},${shirt},3K\n`,
    /line 3: size is not one of 1K, 2K/,
  ],
  [
    `person,garments\n${shirt},${shirt}\nhttp://a.example/a.png,${shirt}\n`,
    /line 3: person is not/,
  ],
  [`person,garments,prompt\n${shirt},${shirt},${"a".repeat(1_001)}\n`, /line 2: prompt has 1001/],
  ["person,garments\nme.png,items.csv\n", /line 2: garments\.0 is text, not an image/],
])("refuses %j before anything is sent", async (content, message) => {
  const { batch, submitted } = await openBatch("items.csv", content);
  const { code, stderr } = await batch();
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  expect(stderr).toMatch(/^tryon: [^\n]+\n$/);
  expect(submitted()).toEqual([]);
});

test.each([
  ['{"person":"https://a.example/a.png","garments":["https://a.example/a.png"],"seed":true}'],
  ['{"person":"https://a.example/a.png","garments":["https://a.example/a.png"],"seed":[7]}'],
])("refuses %s, whose seed is not a number", async (content) => {
  const { batch, submitted } = await openBatch("items.ndjson", content);
  expect((await batch()).code).toBe(2);
  expect(submitted()).toEqual([]);
});

test("refuses a key that is twice in an object, and reads keys like it at any other place", async () => {
  const fields = `"person":"${shirt}","garments":["${shirt}"]`;
  const lines = [
    `{"id":"a",${fields},"prompt":"\\"id\\": {","more":{"id":1},"7":8,"error":{"id":1,"code":"id"}}`,
    `{"id":"b",${fields},"\\u0069d":"c"}`,
  ];
  const { batch, path, submitted } = await openBatch("items.ndjson", lines.join("\n"));
  expect(await batch("--keep-columns")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/line 2: columns 1 and 4 are both "id"\./),
  });
  expect(submitted()).toEqual([]);
  await writeFile(path("items.ndjson"), lines[0] ?? "");
  const { code, stdout } = await batch("--keep-columns", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { columns: { more: { id: 1 }, 7: 8 } }]);
  expect(submitted()).toEqual([expect.objectContaining({ prompt: '"id": {' })]);
});

test("reads a row with a value of ten million characters", async () => {
  const row = { id: "a", person: shirt, garments: [shirt], note: "x".repeat(10_000_000) };
  const { batch, submitted } = await openBatch("items.ndjson", JSON.stringify(row));
  expect(await batch("--keep-columns")).toMatchObject({ code: 0 });
  expect(submitted()).toHaveLength(1);
});

test("maps columns with other names, and keeps other columns in the results", async () => {
  const content = `SKU;Photo;Title;garments\na;${shirt};"Coat; ""long""";${shirt}\nb;${shirt};Hat;${shirt}\n`;
  const { batch, path, submitted, tryon } = await openBatch("items.csv", content);
  const mapped = ["--column", "id=SKU", "--column", "person=Photo", "--concurrency", "1"];
  expect(await batch()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("line 1: SKU is not a column."),
  });
  expect(await batch(...mapped)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--keep-columns"),
  });
  const kept = [...mapped, "--keep-columns", "--max-credits", "8"];
  const { code, stdout } = await batch(...kept, "--json");
  expect(code).toBe(1);
  expect(submitted()).toHaveLength(1);
  const [a, b] = stdout.split("\n").map((line) => JSON.parse(line || "0") as object);
  expect(a).toMatchObject({ id: "a", status: "succeeded", columns: { Title: 'Coat; "long"' } });
  expect(b).toMatchObject({ id: "b", status: "not_run", columns: { Title: "Hat" } });
  const results = await readFile(path("looks.results.csv"), "utf8");
  const [head, ...rows] = results.trimEnd().split("\n");
  expect(head).toBe("id,status,job_id,path,cost_credits,error,Title");
  expect(rows[0]).toMatch(/^a,succeeded,job_\w+,\S+a\.png,8,,"Coat; ""long"""$/);
  expect(rows[1]).toBe("b,not_run,,,,budget_exceeded,Hat");
  const failures = path("looks.failures.ndjson");
  const argv = ["batch", failures, "--out", path("looks"), "--keep-columns", "--json"];
  expect(await tryon(argv)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"columns":{"Title":"Hat"}'),
  });
});

test.each([
  ["person", /It must be NAME=COLUMN/],
  ["photo=a", /NAME is one of id, person, garments, size/],
  ["person=Photo", /--column person=Photo: \S+ has no column Photo/],
])("refuses --column %s", async (column, message) => {
  const { batch } = await openBatch("items.csv", csv);
  const { code, stderr } = await batch("--column", column);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
});

test("refuses results with two columns of one name, or that replace a file of the user", async () => {
  const content = csv.replaceAll(",décontracté", ",x").replace("prompt", "status");
  const { batch, path, charges } = await openBatch("items.csv", content);
  expect(await batch("--keep-columns")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the results have another column status"),
  });
  await writeFile(path("items.csv"), csv);
  await writeFile(path("looks.results.csv"), "mine");
  expect(await batch("--keep-columns")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("that is not of its results"),
  });
  expect(await readFile(path("looks.results.csv"), "utf8")).toBe("mine");
  expect(await charges()).toBe(0);
});
