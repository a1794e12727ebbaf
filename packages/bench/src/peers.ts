/** Clients that `@tryon/client` is compared with, at the measured versions. */
export const clientPeers = [
  "openapi-fetch@0.17.0",
  "ky@2.1.0",
  "fashn@0.11.1",
  "openai@7.57.0",
  "replicate@1.4.0",
  "stripe@23.1.0",
  "@fal-ai/client@1.10.1",
] as const;

export const prism = "@stoplight/prism-cli@5.16.0";

/** Packages that only the benchmarks need, installed apart from the workspace. */
export const packages = [
  ...clientPeers,
  "svix@2.5.0",
  "standardwebhooks@1.1.1",
  "@octokit/webhooks-methods@6.0.0",
  prism,
  "autocannon@9.0.0",
  "bullmq@6.7.0",
  "p-queue@10.0.0",
  "ioredis@5.11.1",
  "pg@8.23.1",
  "express@5.3.0",
];

export const nameOf = (peer: string): string => peer.replace(/(?<=.)@.*/, "");

type Member =
  | ("accounts" | "balance" | "constructEvent" | "create" | "current" | "default" | "edit")
  | ("generateTestHeaderString" | "GET" | "get" | "images" | "json" | "predictions" | "responses")
  | ("retrieve" | "run" | "sign" | "verify" | "Webhook" | "webhooks");

/** Any value of a peer: the workspace has no types of the peers, so only a run checks their use. */
export type Peer = { readonly [Name in Member]: Peer } & {
  new (...args: readonly unknown[]): Peer;
  (...args: readonly unknown[]): Peer;
};

/** Imports a peer. The specifier is not a literal, so compiler and bundler leave it alone. */
export const importPeer = async (name: string): Promise<Peer> => (await import(name)) as Peer;

/** Creates the client of a peer; each peer spells the options differently. */
export async function createPeer(name: string, baseUrl: string, headers: object): Promise<Peer> {
  const { default: Client } = await importPeer(name);
  if (name === "openapi-fetch") return Client({ baseUrl, headers });
  if (name === "ky") return Client.create({ baseUrl, headers });
  const { hostname: host, port } = new URL(baseUrl);
  const stripe = { host, port, protocol: "http", telemetry: false };
  if (name === "stripe") return new Client("key", stripe);
  return new Client({ apiKey: "key", auth: "key", baseURL: baseUrl, baseUrl });
}
