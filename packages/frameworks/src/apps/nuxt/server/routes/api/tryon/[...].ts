import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../../../shop.mjs";

const proxy = createProxy({ authorize });
export default defineEventHandler((event) => proxy(toWebRequest(event)));
