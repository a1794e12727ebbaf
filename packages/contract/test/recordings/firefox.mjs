// Records with the network panel of Firefox, which its remote protocol can open and export.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { given, output } from "./given.mjs";
import { scenario } from "./scenario.mjs";

const port = Number(process.env.RECORDED_PORT);
const profile = mkdtempSync(join(tmpdir(), "firefox-"));
const preferences = {
  "marionette.port": port,
  "datareporting.policy.dataSubmissionEnabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "devtools.netmonitor.har.includeResponseBodies": true,
  // It would replace a page of JSON.
  "devtools.jsonview.enabled": false,
};
writeFileSync(
  join(profile, "user.js"),
  Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join(""),
);
const args = ["--headless", "--marionette", "--remote-allow-system-access", "--profile", profile];
const firefox = spawn(process.env.RECORDED_FIREFOX, args, { stdio: "ignore" });

/** Firefox sends a greeting once it takes commands, and can close a connection before. */
let socket;
let received = Buffer.alloc(0);
while (received.length === 0) {
  socket = connect(port, "127.0.0.1");
  const greeting = once(socket, "data").catch(() => []);
  const [chunk] = await Promise.race([greeting, once(socket, "close").catch(() => [])]);
  if (chunk instanceof Buffer) received = chunk;
  else await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Messages have the form `length:[type, id, error, result]`. */
const waiting = new Map();
socket.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  for (;;) {
    const colon = received.indexOf(":");
    const end = colon + 1 + Number(received.subarray(0, colon));
    if (colon < 0 || received.length < end) return;
    const message = JSON.parse(received.subarray(colon + 1, end));
    received = received.subarray(end);
    if (!Array.isArray(message)) continue;
    const [, id, error, result] = message;
    const { resolve, reject } = waiting.get(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }
});
socket.on("close", () => {
  for (const { reject } of waiting.values())
    reject(new Error("Firefox has closed the connection."));
});
let count = 0;
function command(name, parameters) {
  const text = JSON.stringify([0, (count += 1), name, parameters]);
  socket.write(`${Buffer.byteLength(text)}:${text}`);
  return new Promise((resolve, reject) => waiting.set(count, { resolve, reject }));
}
async function run(context, script) {
  await command("Marionette:SetContext", { value: context });
  const parameters = {
    script: `const done = arguments[0]; (async () => {${script}})().then(
    (value) => done({ value }), (error) => done({ error: String(error) }))`,
    args: [],
  };
  const { value } = await command("WebDriver:ExecuteAsyncScript", parameters);
  if (value.error) throw new Error(value.error);
  return value.value;
}

try {
  const own = given();
  await command("WebDriver:NewSession", { capabilities: { alwaysMatch: {} } });
  await command("WebDriver:SetTimeouts", { script: 60_000 });
  await command("WebDriver:Navigate", { url: `${own.baseUrl}/api/docs` });
  await run(
    "chrome",
    `const { require } = ChromeUtils.importESModule(
       "resource://devtools/shared/loader/Loader.sys.mjs");
     const { gDevTools } = require("devtools/client/framework/devtools");
     const toolbox = await gDevTools.showToolboxForTab(gBrowser.selectedTab, { toolId: "netmonitor" });
     window.recordedToolbox = toolbox;`,
  );
  // In the page, since a script of the protocol has another `fetch`.
  const script = `(${String(scenario)})(${JSON.stringify(own)}).then(
    () => (document.documentElement.dataset.recorded = "done"),
    (error) => (document.documentElement.dataset.recorded = String(error)),
  )`;
  const state = await run(
    "content",
    `const script = document.createElement("script");
     script.textContent = ${JSON.stringify(script)};
     document.documentElement.append(script);
     const { dataset } = document.documentElement;
     while (dataset.recorded === undefined) await new Promise((next) => setTimeout(next, 100));
     return dataset.recorded;`,
  );
  if (state !== "done") throw new Error(state);
  // The panel gets responses some time after the page, and can lack the request after the aborted one.
  let har = { log: { entries: [] } };
  while (har.log.entries.filter(({ response }) => response.status === 0).length !== 1) {
    har = await run(
      "chrome",
      `const api = await window.recordedToolbox.getNetMonitorAPI();
       return api.getHar();`,
    );
  }
  writeFileSync(join(output, "firefox.har"), JSON.stringify(har));
} finally {
  const ended = once(firefox, "exit");
  firefox.kill("SIGKILL");
  await ended;
  rmSync(profile, { recursive: true, force: true });
}
