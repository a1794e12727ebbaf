import { createProxy } from "@tryon/client/proxy";
import { cookies } from "next/headers";

// These stand in for the sessions that your app has: only one that it has made itself is let in.
const sessions = new Map([
  ["7f3a", { id: "ada" }],
  ["c21e", { id: "bob" }],
]);

/** Reads TRYON_API_KEY and TRYON_BASE_URL; the page sees neither. */
const proxy = createProxy({
  authorize: async () => sessions.get((await cookies()).get("session")?.value ?? ""),
  addFields: () => ({ webhook_url: process.env.TRYON_WEBHOOK_URL }),
});

export const GET = proxy;
export const POST = proxy;
