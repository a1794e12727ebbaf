import { route } from "@react-router/dev/routes";

export default [
  route("webhooks/tryon", "routes/webhook.js"),
  route("api/tryon/*", "routes/proxy.js"),
];
