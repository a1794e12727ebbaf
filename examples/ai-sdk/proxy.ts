import { NextResponse, type NextRequest } from "next/server";

/** Signs in every new visitor as Ada, for this example only. Delete this file and use the sign-in of your app. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!request.cookies.has("session")) {
    response.cookies.set("session", "7f3a", { httpOnly: true, sameSite: "lax" });
  }
  return response;
}

export const config = { matcher: "/" };
