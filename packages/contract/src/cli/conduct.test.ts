import { createServer } from "node:https";

import { createMock } from "@tryon/mock";
import forge from "node-forge";
import { describe, expect, test } from "vitest";
import { listen } from "@tryon/test-kit/listen";

import { command } from "../../test/command.ts";
import { deployed, served, otherServer } from "../../test/served.ts";
import { aCheck, aSuite, keeps } from "../../test/suite.ts";

const suite = aSuite([keeps]);

async function problem(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; sentence: string }> {
  const { code, stdout, stderr } = await command(argv, { suite, environment });
  expect(stdout).toBe("");
  const [, sentence = ""] = /^tryon-contract: ([^\n]+)\n$/.exec(stderr) ?? [];
  expect(sentence, stderr).not.toBe("");
  return { code, sentence };
}

const key = ["--api-key", "svc_test_mock"];

const invalid = ["--base-url", "https://tryon.invalid"];
const day = 24 * 3_600_000;

function selfSigned(hostname: string): { readonly key: string; readonly cert: string } {
  const keys = forge.pki.rsa.generateKeyPair(2_048);
  const certificate = forge.pki.createCertificate();
  const name = [{ shortName: "CN", value: hostname }];
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = "01";
  certificate.validity.notBefore = new Date(Date.now() - day);
  certificate.validity.notAfter = new Date(Date.now() + day);
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return {
    key: forge.pki.privateKeyToPem(keys.privateKey),
    cert: forge.pki.certificateToPem(certificate),
  };
}

describe("a deployment that cannot be checked ends with one line and an exit code:", () => {
  test("a port without a server", async () => {
    const url = await otherServer(() => undefined);
    const { port } = new URL(url);
    const free = Number(port) === 65_535 ? 65_534 : Number(port) + 1;
    const argv = ["--base-url", `http://127.0.0.1:${free}`, ...key];
    expect(await problem(argv)).toEqual({
      code: 3,
      sentence: `http://127.0.0.1:${free} cannot be reached: no server listens on the port.`,
    });
  });

  test("a host that does not exist", async () => {
    const { code, sentence } = await problem(["--base-url", "https://tryon.invalid", ...key]);
    expect(code).toBe(3);
    expect(sentence).toMatch(
      /^https:\/\/tryon\.invalid cannot be reached: (no host has this name|the name of the host cannot be resolved now)\.$/,
    );
  });

  test("a self-signed certificate", async () => {
    const server = createServer(selfSigned("localhost"), (_request, response) => response.end());
    const url = (await listen(server)).replace("http://127.0.0.1", "https://localhost");
    expect(await problem(["--base-url", url, ...key])).toEqual({
      code: 4,
      sentence: `The connection to ${url} is not secure: TLS failed with DEPTH_ZERO_SELF_SIGNED_CERT.`,
    });
  });

  test("plain HTTP where TLS was asked for", async () => {
    const url = await otherServer((_request, response) => response.end("plain"));
    const argv = ["--base-url", url.replace("http:", "https:"), ...key];
    expect((await problem(argv)).code).toBe(4);
  });

  test.each([
    ["svc_test_nobody", 5, "The key is refused (401): "],
    ["svc_live_disabled", 5, "The key is refused (403): "],
    ["svc_live_flagged", 5, "The key is refused (403): "],
  ])("the key %s", async (token, code, beginning) => {
    const { url } = await deployed();
    const ended = await problem(["--base-url", url, "--allow-live"], { TRYON_API_KEY: token });
    expect(ended.code).toBe(code);
    expect(ended.sentence).toContain(beginning);
    expect(ended.sentence).not.toContain(token);
  });

  test("no key at all", async () => {
    const { url } = await deployed();
    expect(await problem(["--base-url", url])).toEqual({
      code: 5,
      sentence: "The key is missing. Use one that begins with svc_test_ or svc_live_.",
    });
  });

  test.each([
    [200, { "content-type": "text/html" }, "<h1>Welcome</h1>", "text/html"],
    [404, { "content-type": "text/html" }, "<h1>Not found</h1>", "text/html"],
    [404, { "content-type": "application/json" }, '{"detail":"Not Found"}', "application/json"],
    [
      200,
      { "content-type": "application/json" },
      '{"credits_remaining":"many"}',
      "application/json",
    ],
    [401, { "content-type": "application/json" }, '{"error":"who are you"}', "application/json"],
    [503, { "content-type": "text/html" }, "<h1>Down</h1>", "text/html"],
    [
      301,
      { location: "https://tryon.example/" },
      "",
      "no content type, which redirects to https://tryon.example/",
    ],
  ])("another service that responds with %i, %j and %j", async (status, headers, body, words) => {
    const url = await otherServer((_request, response) => {
      response.writeHead(status, headers).end(body);
    });
    expect(await problem(["--base-url", url, ...key])).toEqual({
      code: 6,
      sentence: `${url} is not the try-on service: GET /api/v1/account got ${status} with ${words}.`,
    });
  });

  test("a connection that breaks", async () => {
    const url = await otherServer(({ socket }) => socket.destroy());
    const { code, sentence } = await problem(["--base-url", url, ...key]);
    expect(code).toBe(3);
    expect(sentence).toContain(`${url} cannot be reached: `);
  });

  test.each([
    [["--base-url", "tryon.example", ...key], "must be an http or https URL"],
    [["--base-url", "ftp://tryon.example", ...key], "must be an http or https URL"],
    [
      ["--base-url", "https://svc_live_a:b@tryon.example", ...key],
      'got "https://svc_live_…:b@tryon.example"',
    ],
  ])("an invalid URL: %j", async (argv, words) => {
    const { code, sentence } = await problem(argv);
    expect(code).toBe(2);
    expect(sentence).toContain(words);
    expect(sentence).not.toContain(argv.at(-1));
  });

  test.each([
    ["TRYON_API_KEY", "secret-of-another-kind", "TRYON_API_KEY must be svc_test_ or svc_live_"],
    ["TRYON_LIVE_KEY", "svc_live_a\nb", "TRYON_LIVE_KEY must be svc_live_"],
  ])("an invalid key: %s", async (name, value, words) => {
    const { code, sentence } = await problem(invalid, { [name]: value });
    expect(code).toBe(2);
    expect(sentence).toContain(words);
    expect(sentence).not.toContain(value);
  });
});

const spender = (name: string, size: string, credits: number) =>
  aCheck(
    `money.${name}`,
    async ({ http }) => {
      await http.submit({ output_size: size });
    },
    { on: "live", level: "paid", credits },
  );
const greedy = aSuite([
  ...["a", "b", "c"].map((name) => spender(name, "1K", 8)),
  ...["d", "e"].map((name) => spender(name, "4K", 20)),
  ...["f", "g", "h"].map((name) => spender(name, "2K", 12)),
]);

/** Its URL is not of this machine. */
const elsewhere = () => createMock({ clock: "manual" });

describe("money is safe:", () => {
  test.each([
    [{ TRYON_API_KEY: "svc_live_mock" }],
    [{ TRYON_API_KEY: "svc_test_mock", TRYON_OTHER_KEY: "svc_live_empty" }],
  ])("a live key is refused until it is allowed: %j", async (environment) => {
    const { mock, url } = await deployed();
    const { code, sentence } = await problem(["--base-url", url], environment);
    expect(code).toBe(2);
    expect(sentence).toContain("--allow-live");
    expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 1_000 });
    const allowed = ["--base-url", url, "--allow-live"];
    expect((await command(allowed, { suite, environment })).code).toBe(0);
  });

  test("a reference server, whose credits are worth nothing, takes any key", async () => {
    const { url } = await served();
    const environment = { TRYON_API_KEY: "svc_live_mock" };
    expect((await command(["--base-url", url], { suite, environment })).code).toBe(0);
  });

  test("a reference server needs the token of its control API to create keys", async () => {
    const { url } = await served();
    const argv = ["--base-url", url];
    const runWith = (token: string, more = {}) =>
      command(argv, { suite, environment: { TRYON_MOCK_TOKEN: token, ...more } });
    const none = await runWith("");
    expect(none.code).toBe(5);
    expect(none.stderr).toContain("needs the token of its control API, to create keys.");
    const wrong = await runWith("a-token-of-another", { TRYON_API_KEY: "svc_test_mock" });
    expect(wrong.code).toBe(5);
    expect(wrong.stderr).toContain("refuses the token of its control API.");
    expect(wrong.stderr).not.toContain("a-token-of");
    // With a key and no token, it is a deployment like any other.
    const given = await runWith("", { TRYON_API_KEY: "svc_test_mock" });
    expect(given.code).toBe(0);
    expect(given.stderr).toContain("  time is real");
  });

  describe("a server elsewhere that says it is a reference server", () => {
    test("gets no live key without --allow-live", async () => {
      const mock = elsewhere();
      const argv = ["--base-url", mock.baseUrl, "--level=paid"];
      const environment = { TRYON_API_KEY: "svc_live_mock" };
      const ended = await command(argv, { suite: greedy, fetch: mock.fetch, environment });
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain("--allow-live");
      expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 1_000 });
    });

    test.each([
      ["TRYON_API_KEY", "live"],
      ["TRYON_OTHER_KEY", "stranger"],
    ] as const)("gets at most 50 credits of a live key: %s", async (variable, name) => {
      const mock = elsewhere();
      const spending = [1, 2, 3].map((number) =>
        aCheck(
          `money.spends-${number}`,
          async ({ http, keys }) => {
            await http.submit({ output_size: "4K" }, { key: keys.named(name) });
          },
          { level: "paid", credits: 20 },
        ),
      );
      const argv = ["--base-url", mock.baseUrl, "--allow-live", "--level=paid"];
      const environment = { [variable]: "svc_live_mock" };
      const suiteOf = { suite: aSuite(spending), fetch: mock.fetch, environment };
      const ended = await command(argv, suiteOf);
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/40 of at most 50/) });
      expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 960 });
    });

    test("spends keys that the kit created there", async () => {
      const mock = elsewhere();
      const argv = ["--base-url", mock.baseUrl, "--level=paid"];
      const ended = await command(argv, { suite: greedy, fetch: mock.fetch });
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("100 credits of a") });
      expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 1_000 });
    });

    test("cannot return the user's key as a new one", async () => {
      const mock = elsewhere();
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const response = await mock.fetch(input, init);
        if (!new Request(input, init).url.endsWith("/__mock/tenants")) return response;
        return Response.json({ ...(await response.json()), api_key: mock.keys.live });
      };
      const argv = ["--base-url", mock.baseUrl, "--allow-live"];
      const environment = { TRYON_API_KEY: "svc_live_mock" };
      const fresh = aCheck("money.fresh", async ({ http, keys }) => {
        await http.submit({}, { key: await keys.make() });
      });
      expect(await command(argv, { suite: aSuite([fresh]), fetch, environment })).toMatchObject({
        code: 70,
        stderr: expect.stringContaining("returned a key of the user"),
      });
      expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 1_000 });
    });
  });

  test.each([0, 7, 8, 30, 50, 1_000])("never over %i credits, by the ledger", async (max) => {
    const { mock, url } = await deployed();
    const argv = ["--base-url", url, "--allow-live", "--level=paid"];
    const environment = { TRYON_API_KEY: "svc_live_mock" };
    const limit = max === 50 ? [] : [`--max-credits=${max}`];
    const { code, stdout } = await command([...argv, ...limit], { suite: greedy, environment });
    expect(code).toBe(0);
    const { balance = 0 } = (await mock.ledger(mock.keys.live)) ?? {};
    const spent = 1_000 - balance;
    expect(spent).toBeLessThanOrEqual(max);
    // Checks that fit still run: the cheapest costs 8.
    expect(spent).toBeGreaterThan(Math.min(max, 100) - 8);
    expect(stdout).toContain(`${spent} of at most ${max} credits spent`);
    expect(stdout.includes("may spend (--max-credits")).toBe(max < 100);
  });

  test("nothing is taken from a live key on level safe when there is a test key", async () => {
    const { mock, url } = await deployed();
    const any = aCheck("money.any", async ({ http }) => {
      await http.submitAndWait({ wait: true });
    });
    const argv = ["--base-url", url, "--test-key=svc_test_mock", "--allow-live"];
    const environment = { TRYON_LIVE_KEY: "svc_live_mock" };
    expect((await command(argv, { suite: aSuite([any]), environment })).code).toBe(0);
    expect(await mock.ledger(mock.keys.live)).toMatchObject({ balance: 1_000 });
  });
});
