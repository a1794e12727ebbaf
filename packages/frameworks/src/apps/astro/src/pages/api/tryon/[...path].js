import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../../../shop.mjs";

const proxy = createProxy({ authorize });
export const prerender = false;
export const ALL = ({ request }) => proxy(request);
