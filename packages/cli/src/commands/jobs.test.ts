import { readFile, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { expectEnd, linesOf, openShop } from "../../test/cli.ts";

async function openJobs() {
  const shop = await openShop();
  const { tryon, input, path } = shop;
  const made: string[] = [];
  for (const size of ["1K", "2K"]) {
    const argv = ["run", ...input, "--size", size, "--json", "-o", path(`${size}.png`)];
    made.push((JSON.parse((await tryon(argv)).stdout) as { job_id: string }).job_id);
  }
  return { ...shop, made };
}

test("lists jobs as a table, newest first, and as the JSON of the service", async () => {
  const { tryon, made } = await openJobs();
  const { code, stdout } = await tryon(["jobs", "list"]);
  expect(code).toBe(0);
  const [head, ...rows] = stdout.trim().split("\n");
  expect(head).toBe("JOB                           STATUS     CREDITS  TIME  CREATED (UTC)");
  expect(rows.map((row) => row.split(/ +/).slice(0, 3))).toEqual([
    [made[1], "succeeded", "12"],
    [made[0], "succeeded", "8"],
  ]);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const json = await tryon(["jobs", "list", "--limit", "1", "--status", "succeeded", "--json"]);
  const newest = { job_id: made[1], status: "succeeded", cost_credits: 12 };
  expect(linesOf(json.stdout)).toEqual([expect.objectContaining(newest)]);
  expect((await tryon(["jobs", "list", "--status", "failed"])).stdout).toMatch(/^JOB [^\n]+\n$/);
});

test("shows a job without its signed URL, and downloads its image", async () => {
  const { tryon, made, path } = await openJobs();
  const [id = ""] = made;
  const { stdout } = await tryon(["jobs", "get", id]);
  expect(stdout).toContain(`job_id               ${id}`);
  expect(stdout).not.toContain("signature");
  const copy = path("copy.png");
  expect(await tryon(["jobs", "download", id, "-o", copy])).toEqual({
    code: 0,
    stdout: `${copy}\n`,
    stderr: `${id} succeeded: 8 credits\n`,
  });
  expect(await readFile(copy)).toEqual(await readFile(path("1K.png")));
  await writeFile(copy, "mine");
  for (const name of ["download", "wait"]) {
    const ending = tryon(["jobs", name, id, "-o", copy]);
    await expectEnd(ending, 2, `--output would replace an existing file: ${copy}.`);
  }
  expect(await readFile(copy, "utf8")).toBe("mine");
  const waited = await tryon(["jobs", "wait", id, "--json"]);
  expect(JSON.parse(waited.stdout)).toMatchObject({ job_id: id, status: "succeeded" });
});

test("ends with 1 for an unknown job, 2 for a wrong id, and says how to continue after a timeout", async () => {
  const { tryon, mock, input } = await openShop({ latency: "30s" });
  expect(await tryon(["jobs", "get", "job_x"])).toMatchObject({ code: 1 });
  expect(await tryon(["jobs", "get", "17"])).toMatchObject({ code: 2 });
  expect(await tryon(["jobs"])).toMatchObject({ code: 2 });
  const controller = new AbortController();
  const running = tryon(["run", ...input], { signal: controller.signal });
  // After the one for `job_x`.
  await mock.journal.waitFor("GET /api/v1/tryon/*", { count: 2 });
  controller.abort();
  const [id = ""] = /job_\w+/.exec((await running).stderr) ?? [];
  const ending = tryon(["jobs", "wait", id, "--timeout", "100ms"]);
  await expectEnd(ending, 1, `The job continues and is billed once: tryon jobs wait ${id}`);
});
