import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { node } from "@tryon/test-kit/repository";
import { soak, soakProbe, soakTimeout } from "@tryon/test-kit/soak";
import { startProgram } from "@tryon/test-kit/start-program";
import { expect, test } from "vitest";

import { signedRequest } from "../index.ts";

test(
  "a receiver uses no more after many events, repeated, wrong and cut ones",
  { timeout: soakTimeout },
  async () => {
    const { args, env, read } = soakProbe();
    const file = join(import.meta.dirname, "../../test/soak-receiver.ts");
    const program = startProgram(node, [...args, file], { env: { ...process.env, ...env } });
    const [url = ""] = await program.waitFor(/^http:\S+/m);
    /** Sends a request over its own connection, and returns the status of the response. */
    const send = async (request: string): Promise<string | undefined> => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.end(request);
      return /^HTTP\/1.1 (\d+)/.exec(await text(socket))?.[1];
    };
    const deliver = async (id: string, secret = "whsec_soak"): Promise<string | undefined> => {
      const request = await signedRequest({ job_id: id }, { url, secret });
      const body = await request.text();
      const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`);
      const own = ["Host: shop", "Connection: close", `Content-Length: ${body.length}`];
      return send(`POST / HTTP/1.1\r\n${[...own, ...headers].join("\r\n")}\r\n\r\n${body}`);
    };
    const half = "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\nhalf";
    const rounds = await soak(
      async (round) => {
        const ids = Array.from({ length: 50 }, (_, index) => `job_${round}_${index}`);
        const statuses = await Promise.all(ids.map((id) => deliver(id)));
        expect(new Set(statuses)).toEqual(new Set(["204"]));
        const [first = ""] = ids;
        expect(await Promise.all([deliver(first), deliver(first, "whsec_x")])).toEqual([
          "204",
          "400",
        ]);
        await send(half);
      },
      () => read(program.child.pid ?? 0),
    );
    expect(rounds).toBeGreaterThan(20);
    program.kill("SIGTERM");
    await program.ended;
  },
);
