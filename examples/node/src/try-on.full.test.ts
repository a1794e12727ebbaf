import { join } from "node:path";

import { expect, it } from "vitest";

import { expectPicture, openFolder, pictures } from "./testing/open-folder.ts";

it("saves the picture and says what it cost, paid once though an answer was lost", async () => {
  const { mock, folder, run, charges } = await openFolder({ latency: "2s" });
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
  const { code, output, said } = await run(...pictures).end;
  expect(said.at(-1)).toMatch(/^job_\w+ succeeded$/);
  expect(output).toMatch(/^try-on\.png: job_\w+ cost 8 credits\n$/);
  expect(code).toBe(0);
  await expectPicture(join(folder, "try-on.png"));
  expect(await charges()).toBe(8);
});

it("says of a job that failed why, and nothing of later", async () => {
  const { mock, run } = await openFolder({ clock: "manual" });
  mock.nextJob({ outcome: "content_blocked" });
  const { program, end } = run(...pictures);
  const [job] = await program.waitFor(/^\S+/);
  program.kill("SIGINT");
  await end;
  await mock.clock.advance("1m");
  const { code, output, said } = await run("--resume", job).end;
  expect([code, output]).toEqual([1, ""]);
  expect(said.at(-1)).toContain("content_blocked");
});

it.each<[string, string[], string]>([
  ["one picture alone", pictures.slice(0, 1), "A person and a garment are needed."],
  ["an option that it does not know", ["--trousers", ...pictures], "--trousers"],
  ["a file that is not there", ["nobody.jpg", "shirt.png"], "nobody.jpg cannot be read."],
])("shows what it takes in place of %s, and asks nobody", async (_case, args, reason) => {
  const { mock, run } = await openFolder({});
  const { code, said } = await run(...args).end;
  expect(said[0]).toContain(reason);
  expect(said[1]).toMatch(/^node src\/try-on\.ts .*<person> <garment>/);
  expect(code).toBe(2);
  expect(mock.journal.entries()).toEqual([]);
});
