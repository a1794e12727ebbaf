const servers =
  /\b(nginx|openresty|haproxy|apache|caddy|varnish|squid|lighttpd|h2o|cloudflare|cloudfront|awselb|envoy|traefik|akamaighost|google frontend)\b/i;

interface Received {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
}

/**
 * Returns the name of the gateway that sent or changed a response, or undefined without a sign of one. A gateway can also
 * leave no sign.
 */
export function gatewayOf({ headers }: Pick<Received, "headers">): string | undefined {
  const server = headers.get("server") ?? "";
  const [name] = servers.exec(server) ?? [];
  if (name !== undefined) return name.toLowerCase();
  return headers.get("via") === null ? undefined : "a proxy";
}

/** Describes who sent a response that is not the service's: " (answered by nginx with HTML)", or nothing. */
export function sourceOf(response: Received | undefined): string {
  if (response === undefined) return "";
  const type = response.headers.get("content-type");
  const gateway = gatewayOf(response);
  const by = gateway === undefined ? "" : ` by ${gateway}`;
  if (/^text\/html\b/i.test(type ?? "")) return ` (answered${by} with HTML)`;
  // Each error of the service has a body.
  const isEmpty = type === null && response.status >= 400;
  return isEmpty && gateway !== undefined ? ` (answered${by} without a body)` : "";
}
