// A receiver in a process of its own, which says on stdout what happens to events. It begins to handle an event by
// making a folder of its name and ends by removing it, so that another process at the same event cannot stay unseen.
import { mkdir, rmdir } from "node:fs/promises";
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

const receive = createReceiver({
  secrets: secret,
  store: {
    claim: (...claim) => store.claim(...claim),
    release: (...release) => store.release(...release),
    async done(key, ttl) {
      try {
        await store.done(key, ttl);
      } catch (error) {
        say("untold", key.slice("tryon.completed:".length));
        throw error;
      }
    },
  },
  claimTtl: 3_000,
  async onCompleted({ job_id }) {
    const place = join(folder, job_id);
    try {
      await mkdir(place);
    } catch {
      say("overlap", job_id);
      return;
    }
    await setTimeout(10);
    await rmdir(place);
    say("handled", job_id);
  },
  onError: () => undefined,
});

serve({ fetch: receive, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  say("listening", `http://127.0.0.1:${port}`);
});
