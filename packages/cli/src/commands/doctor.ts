import { isTryOnError, type AccountResponse, type WithResponse } from "@tryon/client";
import { createRawClient } from "@tryon/client/raw";
import {
  hasColors,
  printLine,
  text,
  UsageError,
  webhookSecret,
  type Command,
} from "@tryon/cli-kit";
import { printable } from "@tryon/shared/printable";
import { styleText } from "node:util";

import { addConnection, connect, type Connection } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { deliver, receiverUrl } from "../deliver.ts";
import { printJson } from "../display.ts";
import { describeError } from "../failure.ts";

export const addDoctorOptions = (command: Command) =>
  addConnection(
    command
      .option("--webhook-url <url>", "receiver that gets a signed test event", receiverUrl)
      .option("--secret-file <file>", "file with the secret (default: TRYON_WEBHOOK_SECRET)", text),
  );

type DoctorOptions = ReturnType<ReturnType<typeof addDoctorOptions>["opts"]>;

/** One finding. A `fail` makes the exit code 1. */
interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly message: string;
}

const colors = { ok: "green", warn: "yellow", fail: "red" } as const;

/** Clock difference that is reported, in milliseconds. */
const maxSkew = 60_000;

/** Checks the machine, the key and the service. Submits nothing, so nothing is charged. */
export async function runDoctor(options: DoctorOptions, context: CliContext): Promise<number> {
  const findings: Finding[] = [];
  const add = (check: string, status: Finding["status"], message: string): void => {
    const finding = { check, status, message };
    findings.push(finding);
    if (options.json === true) return printJson(context, finding);
    const word = status.padEnd(4);
    const isColored = hasColors(context.stdout, context.environment);
    const mark = isColored ? styleText(colors[status], word, { validateStream: false }) : word;
    printLine(context.stdout, `${mark}  ${check.padEnd(11)}  ${printable(message)}`);
  };
  checkNode(add);
  checkProxy(add, context.environment);
  let connection: Connection | undefined;
  try {
    connection = await connect(options, context);
    checkConnection(add, connection);
  } catch (error) {
    const message = isTryOnError(error) ? describeError(error) : (error as Error).message;
    add("Settings", "fail", message);
  }
  if (connection !== undefined) {
    await checkService(add, connection);
    await checkWebhook(add, options, connection);
  }
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}

type Add = (check: string, status: Finding["status"], message: string) => void;

function checkNode(add: Add): void {
  const { node } = process.versions;
  const [major = 0] = node.split(".").map(Number);
  if (major < 20) add("Node", "fail", `${node}. Install Node 20 or later.`);
  else add("Node", "ok", node);
}

function checkProxy(add: Add, environment: CliContext["environment"]): void {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].filter(
    (name) => environment[name] || environment[name.toLowerCase()],
  );
  if (names.length === 0) return add("Proxy", "ok", "none in the environment");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isUsed = major > 24 || (major === 24 && minor >= 5);
  // A URL of a proxy can contain a password.
  if (isUsed) add("Proxy", "ok", `${names.join(", ")} set, and used`);
  else add("Proxy", "warn", `${names.join(", ")} set, but ignored. Use Node 24.5 or later.`);
}

function checkConnection(add: Add, { baseUrl, apiKey, isLive }: Connection): void {
  const { protocol } = new URL(baseUrl);
  // The client refuses http to other machines.
  add("Base URL", "ok", `${baseUrl}, ${protocol === "https:" ? "over TLS" : "on this machine"}`);
  if (!isLive) add("Key mode", "ok", "test: try-ons are free");
  else if (apiKey.startsWith("svc_live_")) add("Key mode", "ok", "live: try-ons are charged");
  else add("Key mode", "warn", "neither svc_test_ nor svc_live_. Check TRYON_API_KEY.");
}

async function checkService(add: Add, { tryon }: Connection): Promise<void> {
  let account: WithResponse<AccountResponse>;
  try {
    account = await tryon.account.get({ timeout: "30s" }).withResponse();
  } catch (error) {
    if (!isTryOnError(error)) throw error;
    const check = { unauthorized: "Key", forbidden: "Key" }[error.code as string] ?? "Service";
    return add(check, "fail", describeError(error));
  }
  const { data, response } = account;
  const { headers } = response;
  add("Key", "ok", "valid, not disabled and not flagged");
  if (headers.has("x-mock")) add("Service", "ok", "reference server, which charges nothing");
  else add("Service", "ok", "responds");
  checkClock(add, headers.get("date"));
  const { remaining } = tryon.rateLimit ?? {};
  const left = remaining === undefined ? "" : `, ${remaining} left`;
  add("Rate limit", "ok", `${data.rate_limit_per_min} requests per minute${left}`);
  const cheapest = Math.min(...Object.values(data.tryon_cost_credits));
  const balance = `${data.credits_remaining.toLocaleString("en-US")} credits`;
  if (data.credits_remaining >= cheapest) add("Balance", "ok", balance);
  else add("Balance", "warn", `${balance}, too few for a try-on. Buy credits: tryon credits`);
  await checkDocument(add, tryon);
  const limits = headers.has("x-ratelimit-limit") ? "on every response" : "not on every response";
  add("Open point", "ok", `X-RateLimit headers: ${limits}`);
  add("Open point", "ok", `x-request-id: ${headers.has("x-request-id") ? "sent" : "not sent"}`);
  const page = await tryon.jobs
    .list({ limit: 100, timeout: "30s" })
    .page()
    .then(
      () => "accepted",
      (error: unknown) => (isTryOnError(error) ? `not accepted (${error.code})` : String(error)),
    );
  add("Open point", "ok", `pages of 100 jobs: ${page}`);
}

function checkClock(add: Add, date: string | null): void {
  if (date === null) return add("Clock", "ok", "not known: the service sends no Date");
  // The header has whole seconds.
  const skew = Date.now() - Date.parse(date);
  if (Math.abs(skew) <= maxSkew) return add("Clock", "ok", "within a minute of the service");
  const direction = skew > 0 ? "ahead of" : "behind";
  const seconds = Math.round(Math.abs(skew) / 1_000);
  add("Clock", "warn", `${seconds} s ${direction} the service. Set the clock of this machine.`);
}

async function checkDocument(add: Add, tryon: Connection["tryon"]): Promise<void> {
  const { data } = await createRawClient(tryon)
    .GET("/api/v1/openapi.json")
    .catch(() => ({ data: undefined }));
  const { info, paths } = Object(data) as { info?: { version?: string }; paths?: object };
  if (!paths) return add("Spec", "warn", "no OpenAPI document at /api/v1/openapi.json");
  const missing = ["/api/v1/tryon", "/api/v1/tryon/{job_id}", "/api/v1/account"].filter(
    (path) => !Object.hasOwn(paths, path),
  );
  const version = `version ${info?.version ?? "unknown"}`;
  if (missing.length === 0) add("Spec", "ok", version);
  else add("Spec", "warn", `${version} lacks ${missing.join(", ")}. Check the base URL.`);
}

async function checkWebhook(
  add: Add,
  { webhookUrl: url, secretFile }: DoctorOptions,
  { environment }: Connection,
): Promise<void> {
  if (url === undefined) return;
  const secret = webhookSecret(environment, secretFile);
  if (secret === undefined) {
    throw new UsageError(
      "--webhook-url needs a secret: set TRYON_WEBHOOK_SECRET, or --secret-file.",
    );
  }
  const { ok, outcome } = await deliver({}, { url, secret }, false, new AbortController().signal);
  if (ok) add("Webhook", "ok", outcome);
  else {
    add(
      "Webhook",
      "fail",
      `${outcome}. Only 2xx of a receiver counts. Find out more: tryon webhooks send --to ${url.href}`,
    );
  }
}
