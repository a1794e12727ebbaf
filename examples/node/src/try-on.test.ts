import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { expectPicture, openFolder, pictures } from "./testing/open-folder.ts";

it("says on Ctrl+C how to take the job up again, which then costs nothing more", async () => {
  const { mock, folder, run, charges } = await openFolder({ clock: "manual" });
  const { program, end } = run(...pictures);
  await program.waitFor(/\n/);
  program.kill("SIGINT");
  const { code, said } = await end;
  expect(code).toBe(130);
  const resume = /^node src\/try-on\.ts (--resume job_\w+)$/.exec(said.at(-1) ?? "")?.[1];
  expect(await readdir(folder)).toEqual([]);

  await mock.clock.advance("1m");
  const resumed = await run("--out", "look.png", ...String(resume).split(" ")).end;
  expect(resumed.code).toBe(0);
  expect(resumed.output).toMatch(/^look\.png: job_\w+ cost 8 credits\n$/);
  await expectPicture(join(folder, "look.png"));
  expect(await charges()).toBe(8);
});
