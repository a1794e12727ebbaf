import type { Processes } from "../processes.ts";

/** The packages that the client is compared with, at the versions that the figures are about. */
export const peerPackages = [
  "openapi-fetch@0.17.0",
  "ky@2.1.0",
  "fashn@0.11.1",
  "openai@7.57.0",
  "replicate@1.4.0",
  "stripe@23.1.0",
  "@fal-ai/client@1.10.1",
] as const;

/** The packages that the verification of webhooks is compared with; stripe is among those above. */
const webhookPeerPackages = [
  "svix@2.5.0",
  "standardwebhooks@1.1.1",
  "@octokit/webhooks-methods@6.0.0",
] as const;

/** The name of a peer, as `import` takes it. */
export function nameOf(peer: string): string {
  return peer.slice(0, peer.lastIndexOf("@"));
}

/** A folder apart from the workspace, where programs find the peers. */
export interface Peers {
  readonly folder: string;
  /** The peers of the client that are in it: all or none. */
  readonly packages: readonly string[];
  /** Those of the webhooks, likewise. */
  readonly webhookPackages: readonly string[];
}

/** Installs the peers for this run alone; without them the rest can still be measured. */
export async function installPeers(processes: Processes): Promise<Peers> {
  const folder = await processes.folder();
  try {
    // Scripts of packages are left out: nothing that is measured here needs one.
    const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    await processes.start("npm", [...install, ...peerPackages, ...webhookPeerPackages]).end();
  } catch (error) {
    if (processes.stopped) throw error;
    return { folder, packages: [], webhookPackages: [] };
  }
  return { folder, packages: peerPackages, webhookPackages: webhookPeerPackages };
}
