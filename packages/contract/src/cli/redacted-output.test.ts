import { readFile } from "node:fs/promises";
import { inspect } from "node:util";

import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "../contract.ts";
import { must } from "../outcome.ts";
import { command } from "../../test/command.ts";
import { newPath } from "../../test/files.ts";
import { decoded } from "../../test/decoded.ts";
import { endpointMutants } from "../../test/mutants/requests/endpoints.ts";
import { deployed } from "../../test/served.ts";
import { aCheck, aSuite } from "../../test/suite.ts";

const forms = ["json", "junit", "html"];

async function written(argv: readonly string[], around: Parameters<typeof command>[1] = {}) {
  const folder = newPath();
  const reports = forms.map((form) => `--report=${form}=${folder}/${form}`);
  const { code, stdout, stderr } = await command([...argv, ...reports], around);
  const files = await Promise.all(forms.map((form) => readFile(`${folder}/${form}`, "utf8")));
  return { code, outputs: [stdout, stderr, ...files] };
}

test("shows no key of a deployment that accepts keys by Basic", async () => {
  const basic = endpointMutants.find(({ name }) => name === "accepts a key as the user of Basic");
  const mock = createMock({ clock: "manual" });
  const key = await mock.createKey({ mode: "test" });
  const argv = ["--base-url", mock.baseUrl, "--api-key", key.token, "--only=authentication.bearer"];
  const { code, outputs } = await written(argv, { fetch: basic?.plant(mock) ?? mock.fetch });
  expect(code).toBe(1);
  for (const output of outputs) {
    expect(output).toContain("authentication.bearer-only");
    expect(decoded(output)).not.toContain(key.token.slice("svc_test_".length));
  }
});

test("shows no key or secret in any form, wherever a check puts it", async () => {
  const { mock, url } = await deployed();
  const key = await mock.createKey({ mode: "test" });
  const secret = "whsec_0123456789~?>abc";
  const shown = [key.token, secret].flatMap((text) => {
    const bytes = Buffer.from(text);
    const percent = bytes.toString("hex").replaceAll(/../g, "%$&");
    const base64 = ["", "a", "ab"].flatMap((user) => [
      Buffer.from(`${user}${text}:`).toString("base64"),
      Buffer.from(`${user}${text}:`).toString("base64url"),
    ]);
    const hex = bytes.toString("hex");
    return [text, percent, percent.toUpperCase(), hex, hex.toUpperCase(), ...base64];
  });
  const suite = aSuite(
    shown.map((text, index) =>
      aCheck(`sample.form-${index}`, async ({ http }) => {
        const response = await http.request("POST", `/api/docs?token=${text}`, {
          headers: { "x-token": text },
          // A cut would fall into the second one.
          body: { token: text, long: `${"-".repeat(1_960)}${text}${"-".repeat(200)}` },
        });
        must(false, `The response has ${text}.`, response);
      }),
    ),
  );
  const argv = ["--base-url", url, "--api-key", key.token];
  const environment = { TRYON_WEBHOOK_SECRET: secret };
  const { outputs } = await written(argv, { suite, environment });
  for (const output of outputs) {
    expect(output).toContain(`sample.form-${shown.length - 1}`);
    const readable = decoded(output);
    for (const text of [key.token.slice("svc_test_".length), secret.slice("whsec_".length)]) {
      expect(readable).not.toContain(text);
      expect(readable).not.toContain(text.slice(0, 6));
    }
  }
});

const refuse: typeof globalThis.fetch = async (input, init) => {
  const { headers } = new Request(input, init);
  const basic = Buffer.from(`:${headers.get("authorization")}`).toString("base64");
  return Response.json({ detail: `${"-".repeat(140)}${basic}` }, { status: 401 });
};

test("shows no key that the deployment repeats in a refusal, or that is in a wrong place", async () => {
  const token = "svc_test_refused0123456789";
  const url = "https://tryon.test";
  const refused = await command(["--base-url", url, "--api-key", token], { fetch: refuse });
  expect(refused.stderr).toContain("The key is refused (401)");
  expect(decoded(refused.stderr)).not.toContain("refused0");
  for (const argv of [[token], ["--level", token], ["--webhook-url", token]]) {
    const { stderr } = await command(["--base-url", url, ...argv]);
    expect(stderr).toMatch(/^tryon-contract: [^\n]+\n$/);
    expect(stderr).not.toContain("refused0");
  }
});

test("shows no key where a rejection is printed with its causes", async () => {
  const apiKey = "svc_test_unreachable0123456789";
  const fetch = () => Promise.reject(new TypeError(`Cannot connect as ${apiKey}`));
  const failed = runContract({ baseUrl: "http://127.0.0.1:9", apiKey, fetch });
  const error = await failed.catch((reason: unknown) => reason);
  expect(inspect(error, { depth: 9 })).toContain("cannot be reached");
  expect(inspect(error, { depth: 9 })).not.toContain("unreachable0");
});
