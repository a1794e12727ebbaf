import { copyFile, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, dirname } from "node:path";

import { AppFolder } from "@tryon/test-kit/app-folder";
import { freePort } from "@tryon/test-kit/free-port";
import { findProgram, isInstalled } from "@tryon/test-kit/installed-programs";
import { assetPath } from "@tryon/test-kit/repository";
import { listen } from "@tryon/test-kit/listen";

import { createMock, type Mock } from "@tryon/mock";
import { serve, type Serving } from "@tryon/mock/node";
import { signedRequest } from "@tryon/webhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { readPage } from "../code/pages.ts";

const path = "docs/guides/http-api.md";
const { blocks } = await readPage(path);

function block(name: string) {
  const found = blocks.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${path} has no block ${name}.`);
  return found;
}

const anyNumber: unknown = expect.any(Number);
const textLike = (shown: string): unknown =>
  expect.stringMatching(new RegExp(`^${shown.replace("…", ".+")}$`));

/** Returns the JSON below a command, with a matcher for each text with "…" and for each number that varies. */
function responseBelow(name: string): unknown {
  const next = blocks[blocks.indexOf(block(name)) + 1];
  if (next?.language !== "json") throw new Error(`${name} has no response in JSON.`);
  return JSON.parse(next.code, (field, value: unknown) => {
    if (typeof value === "string" && value.includes("…")) return textLike(value);
    return ["duration_ms", "result_bytes", "total_calls"].includes(field) ? anyNumber : value;
  });
}

const hasPrograms = (await isInstalled("curl")) && (await isInstalled("python3"));

describe.runIf(hasPrograms)("the HTTP API from other languages", () => {
  let app: AppFolder;
  let mock: Mock;
  let server: Serving;
  let env: NodeJS.ProcessEnv;
  let secret: string;
  let token: string;

  beforeAll(async () => {
    app = await AppFolder.create("http-api");
    await copyFile(assetPath("person.jpg"), app.path("me.jpg"));
    for (const { language, name, code } of blocks) {
      if (language === "python") await app.write(name, code);
    }
    mock = createMock({ latency: 0, allowPrivateWebhooks: true });
    server = await serve(mock);
  });

  beforeEach(async () => {
    mock.faults.clear();
    ({ token, webhookSecret: secret } = await mock.createKey({
      credits: 1_000,
      rateLimitPerMinute: 6_000,
    }));
    const programs = await Promise.all([findProgram("curl"), findProgram("python3")]);
    env = {
      PATH: [...programs.map((program) => dirname(program)), process.env["PATH"]].join(delimiter),
      TRYON_BASE_URL: server.url,
      TRYON_API_KEY: token,
      TRYON_WEBHOOK_SECRET: secret,
    };
    await rm(app.path("key.txt"), { force: true });
    await type("key.sh");
  });

  afterAll(async () => {
    await server.close();
    mock.close();
    await app.remove();
  });

  const type = (name: string, more: NodeJS.ProcessEnv = {}): Promise<string> =>
    app.shell(block(name).code, { ...env, ...more });
  const json = async (name: string, more?: NodeJS.ProcessEnv): Promise<Record<string, unknown>> =>
    JSON.parse(await type(name, more));
  const python = (program: string): Promise<string> => app.run("python3", [program], env);
  const balance = async (): Promise<number | undefined> => (await mock.ledger(token))?.balance;

  it("runs every command and every program of the page", () => {
    const named = blocks.filter(({ language, name }) => /^(sh|python)$/.test(language) && name);
    expect(named.map(({ name }) => name).join(" ")).toBe(
      "key.sh submit.sh photo.sh poll.sh download.sh retry.sh " +
        "tryon.py make.py list.sh find.py account.sh verify_webhook.py receiver.py",
    );
    const unnamed = blocks.filter(({ language, name }) => language === "sh" && !name);
    expect(unnamed.map(({ code }) => code.replaceAll(/=.*/g, ""))).toEqual([
      "npm install @tryon/mock\nnpx tryon-mock --port 4010\n",
      "export TRYON_BASE_URL\nexport TRYON_API_KEY\n",
    ]);
  });

  it("keeps the key in a private file, and no secret in an argument", async () => {
    expect((await stat(app.path("key.txt"))).mode & 0o777).toBe(0o600);
    const shown = blocks.filter(({ code }) => /curl[^|]*\$(?:TRYON_API_KEY|RESULT_URL)/.test(code));
    expect(shown.map(({ name }) => name)).toEqual([]);
  });

  it("submits, polls and lists with curl, and gets the responses of the page", async () => {
    const submitted = await json("submit.sh");
    expect(submitted).toEqual(responseBelow("submit.sh"));
    const JOB_ID = String(submitted["job_id"]);
    const poll = () => json("poll.sh", { JOB_ID });
    await expect.poll(poll).toEqual(responseBelow("poll.sh"));
    await type("download.sh", { RESULT_URL: String((await poll())["result_url"]) });
    expect((await readFile(app.path("image.png"))).readUInt32BE(16)).toBe(768);
    expect(await json("list.sh")).toMatchObject({ jobs: [{ job_id: JOB_ID }], next_cursor: null });
    expect(await json("account.sh")).toEqual(responseBelow("account.sh"));
  });

  it("submits the same key twice with curl, and is charged once", async () => {
    const [first, second] = [await json("submit.sh"), await json("submit.sh")];
    expect(second["job_id"]).toBe(first["job_id"]);
    expect(await balance()).toBe(992);
  });

  it("sends a file with curl", async () => {
    expect(await json("photo.sh")).toMatchObject({ status: "running", cost_credits: 8 });
  });

  it("retries with curl under the same key after a 503 and a broken connection", async () => {
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 503 });
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    await type("retry.sh");
    const job: unknown = JSON.parse(await readFile(app.path("job.json"), "utf8"));
    expect(job).toMatchObject({ status: "running" });
    expect(await balance()).toBe(992);
  });

  it("does not retry a 400 with curl", async () => {
    const fault = mock.faults.add({ on: "POST /api/v1/tryon", status: 400 });
    await type("retry.sh");
    const applied = mock.faults.list().find(({ id }) => id === fault.id);
    expect(applied).toMatchObject({ applied: 1 });
  });

  it("makes a try-on with Python under faults, is charged once, and finds its job", async () => {
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 1 });
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    mock.faults.add({ on: "GET /api/v1/tryon/*", times: 1, status: 502 });
    expect(await python("make.py")).toBe(block("make.py").output);
    expect((await readFile(app.path("order-20.png"))).readUInt32BE(16)).toBe(768);
    expect(await balance()).toBe(992);
    expect(await python("find.py")).toBe(block("find.py").output);
  });

  it("reports an error response with Python after one request", async () => {
    const fault = mock.faults.add({ on: "POST /api/v1/tryon", status: 402 });
    await expect(python("make.py")).rejects.toThrow(/ServiceError: 402: /);
    expect(mock.faults.list().find(({ id }) => id === fault.id)).toMatchObject({ applied: 1 });
  });

  it("sends the key to no other server with Python", async () => {
    const requests: string[] = [];
    const other = await listen(
      createServer(({ url = "" }, response) => {
        requests.push(url);
        response.end("{}");
      }),
    );
    const redirecting = createServer((_request, response) => {
      response.writeHead(302, { location: other }).end();
    });
    env["TRYON_BASE_URL"] = await listen(redirecting);
    await expect(python("make.py")).rejects.toThrow(/ServiceError: 302: /);
    expect(requests).toEqual([]);
  });

  it("accepts webhooks that @tryon/webhooks or the service signed, and refuses forged ones", async () => {
    const port = await freePort();
    const receiverEnv = { ...env, PORT: String(port) };
    const receiver = app.start("python3", ["receiver.py"], receiverEnv);
    onTestFinished(async () => void (await receiver.stop()));
    const url = `http://127.0.0.1:${port}/`;
    await expect.poll(() => fetch(url).catch(() => undefined)).toMatchObject({ status: 501 });

    async function deliver(
      options: Parameters<typeof signedRequest>[1],
      change = (body: string): string => body,
    ): Promise<number> {
      const signed = await signedRequest({ job_id: "job_17", error_message: "Größe" }, options);
      const body = change(await signed.text());
      return (await fetch(url, { method: "POST", headers: signed.headers, body })).status;
    }
    const unsigned = { "x-service-signature": null };
    const otherText = { "x-service-signature": "sha256=é" };
    expect({
      signed: await deliver({ secret }),
      forged: await deliver({ secret: "whsec_guess" }),
      changed: await deliver({ secret }, (body) => body.replace("job_17", "job_18")),
      unsigned: await deliver({ secret, headers: unsigned }),
      otherText: await deliver({ secret, headers: otherText }),
      tooLarge: await deliver({ secret }, (body) => body + " ".repeat(1_048_576)),
    }).toEqual({
      signed: 204,
      forged: 400,
      changed: 400,
      unsigned: 400,
      otherText: 400,
      tooLarge: 413,
    });
    expect(receiver.output.stdout).toBe("job_17 succeeded\n");

    const submit = block("submit.sh").code.replace(
      '"wait": false',
      `"wait": false, "webhook_url": "${url}"`,
    );
    const { job_id: id } = JSON.parse(await app.shell(submit, receiverEnv)) as { job_id: string };
    await expect.poll(() => receiver.output.stdout).toContain(`${id} succeeded\n`);
  });
});
