import { NextResponse, type NextRequest } from "next/server";

/** Gives each new visitor a session. A toy: your app has sessions, and this file goes. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!request.cookies.has("session")) {
    response.cookies.set("session", crypto.randomUUID(), { httpOnly: true, sameSite: "lax" });
  }
  return response;
}

export const config = { matcher: "/" };
