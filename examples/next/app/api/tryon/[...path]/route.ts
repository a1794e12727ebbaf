import { createProxy } from "@tryon/client/proxy";
import { cookies } from "next/headers";

/** Reads TRYON_API_KEY and TRYON_BASE_URL; the page sees neither. */
const proxy = createProxy({
  authorize: async () => {
    const session = (await cookies()).get("session");
    return session && { user: session.value };
  },
  addFields: () => ({ webhook_url: process.env.TRYON_WEBHOOK_URL }),
});

export const GET = proxy;
export const POST = proxy;
