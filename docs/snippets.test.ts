import { execFile } from "node:child_process";
import { copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { createMock, type Mock } from "@tryon/mock";
import { serve, type Serving } from "@tryon/mock/node";
import { sign } from "@tryon/webhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const node = join(root, "node_modules/node/bin/node");

interface Snippet {
  /** The name behind the fence: ```ts name.ts */
  readonly name: string;
  readonly code: string;
}

async function snippetsOf(page: string): Promise<readonly Snippet[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/^```ts *(\S*)\n([^]*?)^```$/gm)].map(([, name = "", code = ""]) => ({
    name,
    code,
  }));
}

/** Pages whose code is held to work: every one that this repository shows people. */
const pages: string[] = [];
for await (const page of glob(["README.md", "packages/*/README.md", "docs/*.md"], { cwd: root })) {
  pages.push(page);
}
const snippets = (
  await Promise.all(
    pages.toSorted().map(async (page) => ({ page, snippets: await snippetsOf(page) })),
  )
).flatMap(({ page, snippets: found }) => found.map((snippet) => ({ page, ...snippet })));

let folder: string;
let mock: Mock;
let server: Serving;

beforeAll(async () => {
  // The code stands inside the repository, so that it finds the packages as an app would.
  await mkdir(join(import.meta.dirname, ".snippets"), { recursive: true });
  folder = await mkdtemp(join(import.meta.dirname, ".snippets/run-"));
  await copyFile(join(root, "examples/assets/person.jpg"), join(folder, "me.jpg"));
  await copyFile(join(root, "examples/assets/shirt.png"), join(folder, "shirt.png"));
  mock = createMock({ latency: 0 });
  server = await serve(mock);
});

afterAll(async () => {
  await server.close();
  mock.close();
  await rm(folder, { recursive: true });
});

async function write(snippet: Snippet): Promise<string> {
  const path = join(folder, snippet.name);
  await writeFile(path, snippet.code);
  return path;
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TRYON_BASE_URL: server.url,
    TRYON_API_KEY: mock.keys.live,
    TRYON_WEBHOOK_SECRET: mock.webhookSecret,
  };
}

/** Runs a snippet as a program, in a folder with the pictures that it names. */
async function execute(snippet: Snippet): Promise<string> {
  const path = await write(snippet);
  const { stdout } = await run(node, ["--conditions=@tryon/source", path], {
    cwd: folder,
    env: environment(),
  });
  return stdout;
}

const checks: Readonly<Record<string, (snippet: Snippet) => Promise<void>>> = {
  "client.ts": async (snippet) => {
    await execute(snippet);
    const png = await readFile(join(folder, "out.png"));
    expect(png.readUInt32BE(16)).toBe(1_536);
    expect(png.readUInt32BE(20)).toBe(2_048);
  },
  "mock.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("8 992\n");
  },
  "resume.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("8\n");
  },
  "wait-all.ts": async (snippet) => {
    const jobs = `const jobs = await Promise.all([1, 2].map(() => tryon.submit({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    })));
    await report(jobs.map(({ id }) => id));`;
    const told = await execute({ ...snippet, code: `${snippet.code}${jobs}` });
    expect(told).toMatch(/^(job_\w+ http:[^\s]+\n){2}$/);
  },
  "idempotency.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("true\n");
  },
  "inspect.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("error garments.0 not_https\nerror person not_an_image\n");
  },
  "recover.ts": async (snippet) => {
    const call = `console.log((await submitted({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    })).status);`;
    const code = `${snippet.code}${call}`;
    expect(await execute({ ...snippet, code })).toBe("running\n");
  },
  "proxy.ts": async (snippet) => {
    const call = `
      const body = JSON.stringify({ person_url: "https://shop.example/me.jpg",
        garment_urls: ["https://shop.example/shirt.png"], wait: false });
      for (const cookie of ["session=7f3a", "session=0000"]) {
        const headers = { cookie, "content-type": "application/json", "idempotency-key": "a" };
        const request = new Request("http://localhost/api/tryon/api/v1/tryon", { method: "POST", headers, body });
        console.log((await proxy(request)).status);
      }`;
    expect(await execute({ ...snippet, code: `${snippet.code}${call}` })).toBe("200\n401\n");
  },
  "page.ts": async (snippet) => {
    // A page and its proxy in one program: what the page asks for is what the service answers.
    const before = `
      globalThis.location = new URL("https://shop.example/");
      const { fetch } = globalThis;
      globalThis.fetch = (url, init) => fetch(String(url).replace("https://shop.example/api/tryon",
        process.env.TRYON_BASE_URL), { ...init, headers: { ...init.headers,
        authorization: "Bearer " + process.env.TRYON_API_KEY } });`;
    const call = `
      const picture = {};
      const image = new Blob([Uint8Array.of(255, 216, 255), new Uint8Array(900)]);
      await show(image, image, picture);
      console.log(picture.src.includes("/results/"));`;
    expect(await execute({ ...snippet, code: `${before}${snippet.code}${call}` })).toBe("true\n");
  },
  "budget.ts": async (snippet) => {
    const call = `const input: TryOnInput = {
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    };
    await previews([input, input]);
    console.log(budget.toJSON());`;
    expect(await execute({ ...snippet, code: `${snippet.code}${call}` })).toBe(
      "{ maxCredits: 500, spent: 16, reserved: 0, left: 484 }\n",
    );
  },
  "purchase.ts": async (snippet) => {
    const code = `${snippet.code}console.log(await buy("spt_one"));`;
    expect(await execute({ ...snippet, code })).toBe("1200 credits more\n");
  },
  "catalogue.ts": async (snippet) => {
    const told = `console.log(names.length, (await readFile("catalogue.ndjson", "utf8")).split("\\n").length);`;
    const code = `import { readFile } from "node:fs/promises";${snippet.code}${told}`;
    const first = await execute({ ...snippet, code });
    expect((await readFile(join(folder, "coat.png"))).readUInt32BE(16)).toBe(768);
    // The second run writes nothing down, since it sends nothing.
    expect(await execute({ ...snippet, code })).toBe(first);
  },
  "many.ts": async (snippet) => {
    await execute(snippet);
    for (const name of ["shirt", "coat"]) {
      expect((await readFile(join(folder, `${name}.png`))).readUInt32BE(16)).toBe(768);
    }
  },
  "watch.ts": async (snippet) => {
    const told = await execute(snippet);
    expect(told).toMatch(/^GET \/api\/v1\/account: attempt 1 ended in 200 after \d+ ms\n/);
    expect(told).toMatch(/\n\d+ undefined \d+\n$/);
  },
  "steering.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("true\n");
  },
  "clock.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("running true\n");
  },
  "images.ts": async (snippet) => {
    expect(await execute(snippet)).toMatch(/^400 person_url: blocked URL; .* admits loopback\.\n$/);
  },
  "faults.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("TypeError: fetch failed 200 true 992\n");
  },
  "control.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("failed content_blocked\n");
  },
  "journal.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("[ 503, 200 ]\n1\n");
  },
  "serve.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("200\n");
  },
  "msw.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("1000\n");
  },
  "contract-profile.ts": async (snippet) => {
    expect(await execute(snippet)).toBe("none\n");
  },
  "contract-node.ts": async (snippet) => {
    expect(await execute(snippet)).toMatch(
      /# pass [1-9]\d*\n# fail 0\n|ℹ pass [1-9]\d*\nℹ fail 0\n/,
    );
  },
  "contract-vitest.ts": async (snippet) => {
    await write(snippet);
    const conditions = '["@tryon/source", "module", "node", "development|production"]';
    await writeFile(
      join(folder, "vitest.config.js"),
      `export default {
        ssr: { resolve: { conditions: ${conditions} } },
        test: { include: [${JSON.stringify(snippet.name)}] },
      };`,
    );
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const report = join(folder, "vitest.json");
    const reporting = ["--reporter=json", `--outputFile=${report}`];
    await run(node, [vitest, "run", "--root", folder, ...reporting], { env: environment() });
    const left: unknown = JSON.parse(await readFile(report, "utf8"));
    expect(left).toMatchObject({ success: true, numFailedTests: 0 });
  },
  "explain.ts": async (snippet) => {
    expect(await execute(snippet)).toMatch(/^secret_padded The secret has white space[^\n]+\n$/);
  },
  "webhooks.ts": async (snippet) => {
    const path = await write(snippet);
    const caller = join(folder, "call-webhooks.ts");
    const body = JSON.stringify({
      event: "tryon.completed",
      job_id: "job_abc",
      status: "failed",
      result_url: null,
      error_code: "generation_failed",
      error_message: "content_blocked",
      duration_ms: 10,
      completed_at: "2026-01-01T00:00:00Z",
    });
    const signature = await sign({ body, secret: mock.webhookSecret });
    await writeFile(
      caller,
      `import { POST } from ${JSON.stringify(path)};
      const call = async (signature: string) =>
        (await POST(new Request("http://localhost/", { method: "POST", body: ${JSON.stringify(body)},
          headers: { "x-service-signature": signature } }))).status;
      const right = ${JSON.stringify(signature)};
      console.log(await call(right), await call(right), await call("sha256=" + "0".repeat(64)));`,
    );
    const { stdout } = await run(node, ["--conditions=@tryon/source", caller], {
      env: environment(),
    });
    expect(stdout).toMatch(/^job_abc failed[^\n]*\n204 204 400\n$/);
  },
};

describe("the code that people are shown", () => {
  it("is all held to work", () => {
    const named = snippets.map((snippet) => `${snippet.page}: ${snippet.name}`);
    expect(named.length).toBeGreaterThanOrEqual(3);
    expect(snippets.filter((snippet) => checks[snippet.name] === undefined)).toEqual([]);
  });

  it.each(snippets)("runs: $name of $page", async (snippet) => {
    const check = checks[snippet.name];
    expect(check).toBeDefined();
    await check?.(snippet);
  });

  it("compiles under the strictest options", async () => {
    const typed = join(folder, "typed");
    await mkdir(typed);
    for (const [index, snippet] of snippets.entries()) {
      await writeFile(join(typed, `${index}-${snippet.name}`), snippet.code);
    }
    await writeFile(
      join(typed, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        // Few apps set this one, and with it every process.env.NAME would need brackets.
        compilerOptions: { noPropertyAccessFromIndexSignature: false },
        include: ["*.ts"],
      }),
    );
    const compiler = join(root, "node_modules/typescript-7/bin/tsc");
    const compiled = await run(node, [compiler, "-p", typed]).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: "" });
  });
});
