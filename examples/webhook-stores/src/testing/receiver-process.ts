/*
 * Program of a receiver, which prints what happens to events. While it handles an event, a link with the name of the event
 * contains its process id, so that it finds another process with the same event.
 */
import { readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { serve } from "@hono/node-server";
import { createReceiver } from "@tryon/webhooks";

import { connect } from "../connect.ts";

const [url = "", secret = "", folder = ""] = process.argv.slice(2);
const { store } = await connect(url);

function say(...words: string[]): void {
  process.stdout.write(`${words.join(" ")}\n`);
}

/** Returns true if a running process has the link. Removes the link of a killed process. */
async function isHandledElsewhere(link: string): Promise<boolean> {
  const owner = await readlink(link).catch(() => undefined);
  if (owner === undefined) return false;
  try {
    process.kill(Number(owner), 0);
    return true;
  } catch {
    await rm(link);
    return false;
  }
}

const receive = createReceiver({
  secrets: secret,
  store: {
    claim: (...claim) => store.claim(...claim),
    release: (...release) => store.release(...release),
    async done(key, ttl) {
      try {
        await store.done(key, ttl);
        say("recorded", key.slice("tryon.completed:".length));
      } catch (error) {
        say("unrecorded", key.slice("tryon.completed:".length));
        throw error;
      }
    },
  },
  claimTtl: 3_000,
  async onCompleted({ job_id }) {
    const link = join(folder, job_id);
    if (await isHandledElsewhere(link)) {
      say("overlap", job_id);
      return;
    }
    await symlink(String(process.pid), link);
    await setTimeout(10);
    await rm(link);
    say("handled", job_id);
  },
  onError: () => undefined,
});

serve({ fetch: receive, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  say("listening", `http://127.0.0.1:${port}`);
});
