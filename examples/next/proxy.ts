import { NextResponse, type NextRequest } from "next/server";

/** Signs every new visitor in as Ada. A toy: your app has a sign-in, and this file goes. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!request.cookies.has("session")) {
    response.cookies.set("session", "7f3a", { httpOnly: true, sameSite: "lax" });
  }
  return response;
}

export const config = { matcher: "/" };
