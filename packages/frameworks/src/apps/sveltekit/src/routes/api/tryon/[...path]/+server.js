import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../../../../shop.mjs";

const proxy = createProxy({ authorize });
export const GET = ({ request }) => proxy(request);
export const POST = GET;
