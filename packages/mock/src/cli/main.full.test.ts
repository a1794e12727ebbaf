import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { command, commandWith } from "../../test/command.ts";
import { controlToken } from "../../test/control-token.ts";
import { controls } from "../../test/controls.ts";
import { fileWith, stateFile, temporaryFolder } from "../../test/temporary-files.ts";
import { headers, plainCalls } from "../../test/with-faults.ts";

describe("the command", () => {
  test("says first where it listens, and serves there until SIGINT", async () => {
    const run = command("--port", "0");
    const url = await run.listening;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(run.stdout().split("\n")[0]).toBe(`tryon-mock listening on ${url}`);
    const account = await fetch(`${url}/api/v1/account`, { headers });
    expect(await account.json()).toMatchObject({ credits_remaining: 1_000 });
    run.child.kill("SIGINT");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(run.stdout()).toContain("svc_test_mock");
    expect(run.stderr()).toBe("");
  });

  test("ends with 0 at SIGTERM, even while a call is held and a webhook is due", async () => {
    const run = command("serve", "--port", "0", "--quiet", "--latency", "10m");
    const url = await run.listening;
    const { submit } = plainCalls(fetch, url);
    const held = submit({ wait: true, webhook_url: `${url}/hook` });
    const outcome = held.then(
      ({ status }) => status,
      () => "cut",
    );
    await expect
      .poll(
        async () => {
          const answer = await fetch(`${url}/api/v1/tryon`, { headers });
          // The contract's answer to a list has jobs.
          return ((await answer.json()) as { jobs: unknown[] }).jobs.length;
        },
        { interval: 5 },
      )
      .toBe(1);
    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(["cut", 500]).toContain(await outcome);
    expect(run.stdout()).toBe(`tryon-mock listening on ${url}\n`);
  });

  test("keeps its state in --state for the next start, and refuses a file that is in use", async () => {
    const state = stateFile();
    const start = () => command("--port", "0", "--quiet", "--state", state);
    const run = start();
    const url = await run.listening;
    const response = await plainCalls(fetch, url).submit();
    const { job_id: id } = Object(await response.json()) as { job_id?: string };
    const other = start();
    expect(await other.ended).toEqual({ code: 2, signal: null });
    expect(other.stderr()).toContain("another server uses it");
    other.listening.catch(() => undefined);
    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    const next = start();
    const list = await fetch(`${await next.listening}/api/v1/tryon`, { headers });
    expect(await list.json()).toMatchObject({ jobs: [{ job_id: id }] });
  });

  test("prints with --print-env nothing but variables on stdout", async () => {
    const run = command("--print-env", "--port=0");
    const url = await run.listening;
    await expect.poll(() => run.stdout(), { interval: 5 }).toContain("TOKEN");
    expect(run.stdout()).toBe(
      `TRYON_BASE_URL=${url}\nTRYON_API_KEY=svc_live_mock\nTRYON_WEBHOOK_SECRET=whsec_mock\nTRYON_MOCK_TOKEN=${controlToken}\n`,
    );
    expect(run.stderr()).toBe(`tryon-mock listening on ${url}\n`);
  });

  test("creates a token for the control API, prints it, and keeps it in a private file", async () => {
    const folder = temporaryFolder();
    const run = commandWith({ TRYON_MOCK_TOKEN: "", TMPDIR: folder }, "--port", "0");
    const url = await run.listening;
    await expect.poll(() => run.stdout(), { interval: 5 }).toContain("control token in ");
    const saved = join(folder, `tryon-mock-${new URL(url).port}.token`);
    expect(run.stdout()).toContain(`control token in ${saved}\n`);
    const token = readFileSync(saved, "utf8").trim();
    expect(run.stdout()).toContain(`control page ${url}/__mock/?token=${token}\n`);
    expect(statSync(saved).mode & 0o777).toBe(0o600);
    expect((await controls(fetch, url, token).get("options")).status).toBe(200);
    expect((await controls(fetch, url, "other").get("options")).status).toBe(401);
    run.child.kill("SIGTERM");
    await run.ended;
    expect(readdirSync(folder)).toEqual([]);
  });

  test("takes the token of its environment without printing it, or none with --open-control", async () => {
    const folder = temporaryFolder();
    const given = commandWith({ TMPDIR: folder }, "--port", "0");
    const environment = { TRYON_MOCK_TOKEN: "", TMPDIR: folder };
    const open = commandWith(environment, "--port", "0", "--open-control");
    for (const [run, token] of [
      [given, controlToken],
      [open, ""],
    ] as const) {
      const url = await run.listening;
      await expect.poll(() => run.stdout(), { interval: 5 }).toContain(`page ${url}/__mock/\n`);
      expect((await controls(fetch, url, token).get("options")).status).toBe(200);
      expect(run.stdout()).not.toContain("token");
    }
    expect(readdirSync(folder)).toEqual([]);
    const short = commandWith({ TRYON_MOCK_TOKEN: "secret" }, "--port", "0");
    expect(await short.ended).toEqual({ code: 2, signal: null });
    expect(short.stderr()).toContain("TRYON_MOCK_TOKEN) must be 16 to 200 letters");
    expect(short.stderr()).not.toContain('secret"');
  });

  test("serves without a file for its token where it cannot write one", async () => {
    const environment = { TRYON_MOCK_TOKEN: "", TMPDIR: "/nowhere" };
    const run = commandWith(environment, "--port", "0");
    await run.listening;
    expect(run.stderr()).toContain("the control token has no file: ENOENT");
    await expect.poll(() => run.stdout(), { interval: 5 }).toContain("/__mock/?token=");
  });

  test("takes its settings from a file, and flags before it", async () => {
    const settings = {
      seed: "a",
      credits: 40,
      clock: "manual",
      corsOrigins: ["https://file.example"],
    };
    const config = fileWith(JSON.stringify({ ...settings, engine: "stock", latency: "1h" }));
    const flags = ["--profile", "alternate", "--seed", "b", "--credits", "8"];
    const origins = ["https://a.example", "https://b.example"];
    const more = [...flags, ...origins.map((url) => `--cors-origin=${url}`)];
    const ids = [];
    for (const [given, credits, statuses] of [
      [["--config", config], 40, [200, 403, 403]],
      [["--config", config, ...more], 8, [403, 200, 200]],
      [["--seed", "b"], 1_000, [403, 403, 403]],
    ] as const) {
      const url = await command("--port", "0", ...given).listening;
      const { get, submit } = plainCalls(fetch, url);
      const account = await get("/api/v1/account");
      expect(await account.json()).toMatchObject({ credits_remaining: credits });
      const isManual = account.headers.get("date") === "Thu, 01 Jan 2026 00:00:00 GMT";
      expect(isManual).toBe(given[0] === "--config");
      const found = [...settings.corsOrigins, ...origins].map(
        async (origin) => (await fetch(url, { headers: { ...headers, origin } })).status,
      );
      expect(await Promise.all(found)).toEqual(statuses);
      ids.push((await (await submit()).json()) as object);
    }
    // Profile alternate responds with fewer fields. Only the seed determines the ids.
    const [, alternate, usual] = ids;
    expect(Object.keys(alternate ?? {})).toEqual(["job_id", "status"]);
    expect(usual).toMatchObject(alternate ?? {});
  });

  test.each([
    [["--log", "pretty"], "stdout"],
    [["--log", "pretty", "--quiet"], "stdout"],
    [["--log", "pretty", "--print-env"], "stderr"],
  ] as const)("prints requests with %j to %s", async (flags, stream) => {
    const run = command("--port", "0", ...flags);
    const url = await run.listening;
    await fetch(`${url}/api/v1/account?token=whsec_0123456789`, { headers });
    await expect.poll(() => run[stream](), { interval: 5 }).toContain("GET");
    const lines = run[stream]()
      .split("\n")
      .filter((line) => line.includes("GET"));
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d\.\d{3}Z {2}GET {2}\/api\/v1\/account\?token=whsec_…6789 {2}200 +\d+ ms {2}live$/,
      ),
    ]);
  });

  test("warns on stderr when others can reach it", async () => {
    const run = command("--host", "0.0.0.0", "--port", "0");
    const { port } = new URL(await run.listening);
    const warning = `others can reach port ${port} of this machine`;
    await expect.poll(() => run.stderr(), { interval: 5 }).toContain(warning);
    expect(run.stderr().trimEnd().split("\n")).toHaveLength(1);
    const page = `control page http://127.0.0.1:${port}/`;
    await expect.poll(() => run.stdout(), { interval: 5 }).toContain(page);
  });

  test("sends no webhooks to its own network where it is reached from others", async () => {
    const run = command("--host", "0.0.0.0", "--port", "0", "--quiet");
    const url = (await run.listening).replace("0.0.0.0", "127.0.0.1");
    const answer = await plainCalls(fetch, url).submit({ webhook_url: `${url}/hook` });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("allowPrivateWebhooks");
  });

  test("says that a port is taken, and ends with 1", async () => {
    const first = command("--port", "0");
    const port = new URL(await first.listening).port;
    const second = command("--port", port);
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toContain(`port ${port} is taken`);
    expect(second.stdout()).toBe("");
  });
});

test("a command that cannot be carried out as it was typed ends with 2 and one sentence", async () => {
  const run = command("--port", "many");
  expect(await run.ended).toEqual({ code: 2, signal: null });
  expect(run.stderr()).toBe(
    "tryon-mock: option '--port <number>' is invalid. It must be a whole number from 0 to 65535.\n",
  );
  expect(run.stdout()).toBe("");
});
