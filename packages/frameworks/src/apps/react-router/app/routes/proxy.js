import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../shop.mjs";

const proxy = createProxy({ authorize });
export const loader = ({ request }) => proxy(request);
export const action = loader;
