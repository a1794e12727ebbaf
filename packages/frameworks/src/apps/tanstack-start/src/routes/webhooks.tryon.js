import { createFileRoute } from "@tanstack/react-router";
import { createReceiver } from "@tryon/webhooks";
import { onCompleted, secrets } from "../../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
export const Route = createFileRoute("/webhooks/tryon")({
  server: { handlers: { POST: ({ request }) => receiver(request) } },
});
