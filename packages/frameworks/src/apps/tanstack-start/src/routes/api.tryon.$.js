import { createFileRoute } from "@tanstack/react-router";
import { createProxy } from "@tryon/client/proxy";
import { authorize } from "../../shop.mjs";

const proxy = createProxy({ authorize });
const handle = ({ request }) => proxy(request);
export const Route = createFileRoute("/api/tryon/$")({
  server: { handlers: { GET: handle, POST: handle } },
});
