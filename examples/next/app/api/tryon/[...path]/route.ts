import { createProxy } from "@tryon/client/proxy";
import { cookies } from "next/headers";

// Replace these with the sessions of your app. Only sessions that it has created are accepted.
const sessions = new Map([
  ["7f3a", { id: "ada" }],
  ["c21e", { id: "bob" }],
]);

/** Reads TRYON_API_KEY and TRYON_BASE_URL, which the page does not get. */
const proxy = createProxy({
  authorize: async () => sessions.get((await cookies()).get("session")?.value ?? ""),
  addFields: () => ({ webhook_url: process.env.TRYON_WEBHOOK_URL }),
});

export const GET = proxy;
export const POST = proxy;
