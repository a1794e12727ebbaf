import type Http from "node:http";
import type { Agent, ClientRequest } from "node:http";

import { check, isLoopback } from "../config/resolve-config.ts";

type Environment = NodeJS.ProcessEnv;

interface ProxyAgent {
  readonly options?: { readonly proxyEnv?: Environment | undefined };
  readonly proxy?: Partial<Pick<URL, "protocol" | "host">>;
}

/** Throws if a proxy of the environment is needed for a URL, but Node would ignore its value. */
export function checkProxy(target: URL): void {
  const { env } = process;
  const name = variableOf(env, target.protocol);
  const value = env[name] ?? "";
  if (!value || isUsable(value) || isLoopback(target.hostname) || !isProxied(target, env)) return;
  const scheme = /^([a-z][\w+.-]*:)\/\//i.exec(value)?.[1];
  const but = /^https?:/.test(value) ? "." : scheme ? `, not ${scheme}` : ", but has no scheme";
  check(
    false,
    `${name} must be a URL such as http://proxy.example:3128${but}.`.replace("..", "."),
    "Correct it, or pass the agent of a package such as https-proxy-agent or socks-proxy-agent.",
  );
}

/** Returns the name of the variable for a protocol. Like Node, prefers the lower-case one. */
function variableOf(env: Environment, protocol: string): string {
  const name = protocol.replace(":", "_proxy");
  return env[name] ? name : name.toUpperCase();
}

/** Returns true if Node sends requests to this URL of a proxy. It ignores some others silently. */
function isUsable(value: string): boolean {
  if (!/^https?:\/\//.test(value)) return false;
  try {
    const { username, password } = new URL(value);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

export function hasProxy({ options }: Agent & ProxyAgent, { protocol }: URL): boolean {
  const env = options?.proxyEnv;
  return env !== undefined && Boolean(env[variableOf(env, protocol)]);
}

/** Returns true if this version of Node sends a request to the proxy. Node itself decides, since its rules for NO_PROXY vary. */
function isProxied({ protocol, hostname, port }: URL, env: Environment): boolean {
  const { process } = globalThis as { process: { getBuiltinModule?(name: string): unknown } };
  // Versions that lack the function have no proxies, either.
  const http = process.getBuiltinModule?.("node:http") as typeof Http | undefined;
  if (!http) return false;
  const proxyEnv = { http_proxy: "http://localhost", no_proxy: env["no_proxy"] || env["NO_PROXY"] };
  // The types of older versions of Node do not have `proxyEnv`.
  const options = { proxyEnv };
  // It gets no connection.
  const agent = Object.assign(new http.Agent(options), { addRequest: () => undefined });
  const url = `http://${hostname}:${port || (protocol === "https:" ? 443 : 80)}/`;
  const request = http.request(url, { agent });
  request.on("error", () => undefined).destroy();
  return isForwarded(request);
}

export function isForwarded({ path }: ClientRequest): boolean {
  return path.startsWith("http:");
}

function describeProxy(agent: Agent & ProxyAgent, target: URL): string | undefined {
  const { proxy, options } = agent;
  if (proxy?.host) return `${proxy.protocol}//${proxy.host} (agent)`;
  const env = options?.proxyEnv ?? {};
  const name = variableOf(env, target.protocol);
  const value = env[name];
  if (!value || !isProxied(target, env)) return undefined;
  const { protocol, host } = new URL(value);
  return `${protocol}//${host} (${name})`;
}

/**
 * Adds a hint to an error if a proxy or an unknown CA is the likely cause, and the status with which a proxy refused to
 * forward the request.
 *
 * @param wasSent - If true, the request got to a server.
 */
export function explainError(
  error: Error & { readonly code?: string; readonly statusCode?: number },
  agent: Agent,
  target: URL,
  wasSent: boolean,
): void {
  const { code, statusCode: proxyStatus = 0 } = error;
  const isRefused = proxyStatus > 0 && `${code}`.startsWith("ERR_PROXY");
  if (wasSent && !isRefused) return;
  const isUntrusted = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_UNTRUSTED/.test(`${code}`);
  const proxy = describeProxy(agent, target);
  const { hostname } = target;
  let hint: string | undefined;
  if (isRefused) {
    const refused = proxyStatus < 500 ? "it must allow" : "it cannot reach";
    const fix =
      proxyStatus === 407 ? "correct its user and password there" : `${refused} ${hostname}`;
    hint = `The proxy ${proxy ?? "of agent"} responded with ${proxyStatus}: ${fix}.`;
  } else if (isUntrusted) {
    // Node does not use the CA of an agent for the certificate of the proxy itself.
    hint = !proxy
      ? "If you trust its CA, pass it in agent: new Agent({ ca }) of node:https."
      : proxy.startsWith("https:")
        ? `Set NODE_EXTRA_CA_CERTS to the CA of the proxy ${proxy}.`
        : `If the proxy ${proxy} inspects TLS, pass its CA in agent: new Agent({ ca, proxyEnv: process.env }).`;
  } else if (proxy) {
    const other = proxy.endsWith("(agent)") ? "" : `, or exclude ${hostname} with NO_PROXY`;
    hint = `Check the proxy ${proxy}${other}.`;
  }
  Object.assign(error, { ...(hint && { hint }), ...(isRefused && { proxyStatus }) });
}
