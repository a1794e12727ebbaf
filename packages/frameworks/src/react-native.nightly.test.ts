import { cp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { listen } from "@tryon/test-kit/listen";
import { packedPackages } from "@tryon/test-kit/packages";
import { root } from "@tryon/test-kit/repository";
import { chargesOf, serveMock } from "@tryon/test-kit/serve-mock";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { NativeApp } from "./native-app.ts";

/** Versions of the page of supported versions. `hermes-engine-cli` is the newest package with a program that runs code. */
const packages = [
  "react-native@0.88.1",
  "@react-native/metro-config@0.88.1",
  "metro@0.87.1",
  "react@19.3.1",
  "react-test-renderer@19.3.1",
  "react-native-get-random-values@2.0.0",
  "abort-controller@3.0.0",
  "hermes-engine-cli@0.12.0",
];
const photo = pathToFileURL(join(root, "examples/assets/person.jpg")).href;

let folder: AppFolder;
let scripts: string[];

beforeAll(async () => {
  const { client } = await packedPackages();
  folder = await AppFolder.create("react-native");
  await folder.install([client, ...packages]);
  await cp(join(import.meta.dirname, "apps/react-native"), folder.folder, { recursive: true });
  const metro = folder.path("node_modules/.bin/metro");
  const options = ["--platform", "ios", "--dev", "false", "--minify", "false"];
  const files = ["--config", "metro.config.cjs", "--out", "bundle"];
  await folder.run(metro, ["build", "index.js", ...options, ...files]);
  const names = ["native-modules.js", "bundle.js"];
  scripts = await Promise.all(names.map((name) => readFile(folder.path(name), "utf8")));
}, installing);

afterAll(async () => folder.remove());

/** Starts the app, and a proxy with the reference server. */
async function start(isEarlier = false) {
  const { mock, url: baseUrl } = await serveMock({ latency: 1_500 });
  const apiKey = mock.keys.live;
  const proxy = createProxy({ apiKey, baseUrl, authorize: () => ({ id: "ada" }) });
  const url = await listen(createServer(toNodeHandler(proxy)));
  const hermes = folder.path("node_modules/hermes-engine-cli/linux64-bin/hermes");
  const app = new NativeApp(hermes, [`isEarlier = ${isEarlier}`, ...scripts]);
  onTestFinished(() => app.close());
  const charges = async () => (await chargesOf(mock)).length;
  const call = (name: string, ...args: readonly string[]) => app.call(name, url, ...args);
  return { app, call, charges };
}

const works = { isPng: true, isSameBlob: true, isUrl: true };

it("has the build for React Native, which the compiler of its Hermes accepts", async () => {
  const bundle = scripts.join();
  expect(bundle).toContain("react-native-get-random-values, and import it first");
  const hermesc = folder.path("node_modules/hermes-compiler/hermesc/linux64-bin/hermesc");
  await folder.run(hermesc, ["-w", "-emit-binary", "-O", "-out", "bundle.hbc", "bundle.js"]);
});

it("sends the base64 of an image picker", async () => {
  const { call, charges } = await start();
  const base64 = (await readFile(fileURLToPath(photo))).toString("base64");
  expect(await call("base64", base64)).toEqual({ result: works });
  expect(await charges()).toBe(1);
});

it.each(["file", "blob"])("sends a photo as %s", async (name) => {
  const { app, call, charges } = await start();
  expect(await call(name, photo)).toEqual({ result: works });
  expect(await charges()).toBe(1);
  const bytes = await readFile(fileURLToPath(photo));
  const body = app.sent.find(({ method }) => method === "POST")?.data.string ?? "";
  expect(body).toContain(`"person_image_b64":"${bytes.toString("base64")}"`);
  expect(body).toContain('"prompt":"Größe ✓ 👕"');
});

it("makes the try-on of the guide, with a token for the proxy only", async () => {
  const { app, call, charges } = await start();
  expect(await call("guide", photo)).toEqual({ result: { isPng: true, isUrl: true } });
  expect(await charges()).toBe(1);
  const remote = app.sent.filter(({ url }) => url.startsWith("http"));
  const [of = [], others = []] = [true, false].map((is) =>
    remote.filter(({ url }) => url.includes("/api/tryon/") === is),
  );
  expect(of.map(({ headers }) => headers["authorization"])).toContain("Bearer token-of-ada");
  expect(others.length).toBeGreaterThan(0);
  for (const { headers, withCredentials } of others) {
    expect([headers["authorization"], withCredentials]).toEqual([undefined, false]);
  }
});

it("waits for a job over polls, from what it has saved", async () => {
  const { app, call, charges } = await start();
  const { result } = await call("wait", photo);
  expect(result).toMatchObject({ ...works, phases: ["waiting", "succeeded"] });
  const polls = app.sent.filter(
    ({ method, url }) => method === "GET" && url.includes("/tryon/job_"),
  );
  expect(polls.length).toBeGreaterThan(1);
  expect(await charges()).toBe(1);
});

it("is charged once if the response to a submission is lost", async () => {
  const { app, call, charges } = await start();
  app.losesNextResponse = true;
  expect(await call("file", photo)).toEqual({ result: works });
  const keys = app.sent.flatMap(({ method, headers }) =>
    method === "POST" ? [headers["idempotency-key"]] : [],
  );
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(await charges()).toBe(1);
});

it("runs a session in memory", async () => {
  const { call, charges } = await start();
  expect(await call("session", photo)).toEqual({
    result: {
      states: ["preparing", "uploading", "waiting", "succeeded"],
      isPng: true,
      isSaved: false,
    },
  });
  expect(await charges()).toBe(1);
});

it("renders a component with useTryOn", async () => {
  const { call, charges } = await start();
  expect(await call("hook", photo)).toEqual({
    result: ["idle", "preparing", "uploading", "waiting", "succeeded"],
  });
  expect(await charges()).toBe(1);
});

it.each([
  ["refused", { code: "validation_failed" }],
  ["missing", { code: "invalid_input" }],
  ["abort", { name: "AbortError" }],
  ["abortOfPackage", { name: "AbortError" }],
  ["stream", { code: "unsafe_environment" }],
  ["userInUrl", { code: "invalid_config" }],
  ["withoutRandom", { code: "invalid_config" }],
])("rejects: %s", async (name, error) => {
  const { call } = await start();
  expect(await call(name)).toMatchObject(error);
});

it.each(["abort", "file"])("works with the signals of earlier versions: %s", async (name) => {
  const { call, charges } = await start(true);
  const expected = name === "abort" ? { name: "AbortError" } : { result: works };
  expect(await call(name, photo)).toMatchObject(expected);
  expect(await charges()).toBe(1);
});

it("keeps a live key out of an app", async () => {
  const { call } = await start();
  const { error } = await call("liveKey", "svc_live_0123456789abcdef0123456789abcdef");
  expect(error).toContain("apiKey is a live key, and this is an app.");
});

it("formats times for shoppers without Intl.RelativeTimeFormat", async () => {
  const { call } = await start();
  const { result } = await call("shopper");
  expect(result).toContain("in 3 minutes");
});
