import { createProxy } from "@tryon/client/proxy";
import { defineHandler } from "nitro";
import { authorize } from "../../../shop.mjs";

const proxy = createProxy({ authorize });
export default defineHandler(({ req }) => proxy(req));
