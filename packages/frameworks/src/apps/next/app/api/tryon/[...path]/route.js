import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../../../shop.mjs";

const proxy = createProxy({ authorize });
export const GET = proxy;
export const POST = proxy;
