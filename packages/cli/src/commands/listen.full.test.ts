import { writeFile } from "node:fs/promises";

import { verify } from "@tryon/webhooks";
import { expect, test } from "vitest";

import { openReceiver, openShop } from "../../test/cli.ts";

/** Opens a shop with a job that has ended. */
async function openJob() {
  const { tryon, argv } = await openShop();
  const { stdout } = await tryon([...argv, "--json"]);
  return { tryon, id: (JSON.parse(stdout) as { job_id: string }).job_id };
}

test("delivers the event of each job that ends once, signed, and retries after a failure", async () => {
  const { tryon, input, path, mock } = await openShop();
  await tryon(["run", ...input, "-o", path("earlier.png")]);
  const { target, bodies, requests, full } = await openReceiver(500);
  const controller = new AbortController();
  await writeFile(path("secret"), "whsec_file\n");
  const polls = (await mock.journal.waitFor("GET /api/v1/tryon/*")).length;
  expect(polls).toBeGreaterThan(0);
  const listening = tryon(
    ["listen", "--forward-to", target, "--secret-file", path("secret"), "--interval", "50ms"],
    { signal: controller.signal },
  );
  await mock.journal.waitFor("GET /api/v1/tryon");
  await tryon(["run", ...input, "-o", path("look.png")]);
  await full;
  const seen = mock.journal.entries({ path: "/api/v1/tryon", method: "GET" }).length;
  await mock.journal.waitFor("GET /api/v1/tryon", { count: seen + 2 });
  controller.abort();
  const { code, stdout, stderr } = await listening;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^job_\w+ succeeded: 204 after \d+ ms, 2 attempts\n$/);
  expect(stderr).not.toContain("whsec");
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toBe(bodies[1]);
  const { body, headers } = requests[1] ?? {};
  expect(body).toBeDefined();
  const event = await verify({
    body: bodies[1] ?? "",
    headers: headers ?? {},
    secrets: "whsec_file",
  });
  expect(event).toMatchObject({ event: "tryon.completed", status: "succeeded" });
});

test("does not send an event again that a page answered, like the service", async () => {
  const { tryon, id } = await openJob();
  const { target, bodies } = await openReceiver([200, { "content-type": "text/html" }]);
  const ended = await tryon(["listen", "--forward-to", target, "--job", id]);
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain("a page answered, not a receiver");
  expect(bodies).toHaveLength(1);
});

test("delivers the event of --job and ends, with a secret that it prints", async () => {
  const { tryon, id } = await openJob();
  const { target, bodies, requests } = await openReceiver();
  const { code, stderr } = await tryon(["listen", "--forward-to", target, "--job", id]);
  expect(code).toBe(0);
  const [secret = ""] = /whsec_\S+/.exec(stderr) ?? [];
  const { headers = {} } = requests[0] ?? {};
  const event = await verify({ body: bodies[0] ?? "", headers, secrets: secret });
  expect(event).toMatchObject({ job_id: id });
});
