import type { HttpResponse } from "../http/message.ts";
import { html } from "../http/responses.ts";

/** Response of a gateway, and the moment when it sends it. */
interface Gateway {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a response without a body. */
  readonly body: string;
  /**
   * Milliseconds after which it responds to a request that it has forwarded. The work continues. Without it, the gateway
   * responds at once and forwards nothing.
   */
  readonly after?: number;
  /** If true, it responds after the headers of a request, and closes the connection without reading the body. */
  readonly closes?: true;
  /** Cause of the response, for the guide. */
  readonly cause: string;
}

const page = (title: string, body: string): string =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n${body}\r\n</body>\r\n</html>\r\n`;

const type = "content-type";
const apache = "Apache/2.4.71 (Debian)";
const doctype =
  '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">';

/** Headers and page of each software, given the status with the title of the page, and the title alone. */
const softwares: Readonly<
  Record<string, (line: string, title: string) => Pick<Gateway, "headers" | "body">>
> = {
  nginx: (line) => ({
    headers: { server: "nginx/1.22.1", [type]: "text/html" },
    body: page(line, `<center><h1>${line}</h1></center>\r\n<hr><center>nginx/1.22.1</center>`),
  }),
  // Its redirects have no page.
  haproxy: (line, title) => ({
    headers: { "cache-control": "no-cache", ...(title && { [type]: "text/html" }) },
    body: title && `<html><body><h1>${line}</h1>\nThe request was not served.\n</body></html>\n`,
  }),
  apache: (line, title) => ({
    headers: { server: apache, [type]: "text/html; charset=iso-8859-1" },
    body:
      `${doctype}\n<html><head>\n<title>${line}</title>\n</head><body>\n<h1>${title}</h1>\n<hr>\n` +
      `<address>${apache} Server at shop.example Port 443</address>\n</body></html>\n`,
  }),
  caddy: () => ({ headers: { server: "Caddy" }, body: "" }),
  varnish: (line) => ({
    headers: {
      server: "Varnish",
      [type]: "text/html; charset=utf-8",
      "retry-after": "5",
      "x-varnish": "32770",
      age: "0",
      via: "1.1 varnish (Varnish/7.1)",
    },
    body: page(
      line,
      `<h1>Error ${line}</h1>\n<p>XID: 32771</p>\n<hr>\n<p>Varnish cache server</p>`,
    ),
  }),
  squid: (_line, error) => ({
    headers: {
      server: "squid/5.7",
      "mime-version": "1.0",
      [type]: "text/html;charset=utf-8",
      "content-language": "en",
      "x-squid-error": `${error} 0`,
      via: "1.1 proxy.example (squid/5.7)",
    },
    body: page(
      "ERROR: The requested URL could not be retrieved",
      `<h1>ERROR</h1>\n<hr>\n<p>${error}</p>\n<hr>\n<p>proxy.example (squid/5.7)</p>`,
    ),
  }),
  lighttpd: (line) => ({
    headers: { server: "lighttpd/1.4.69", [type]: "text/html" },
    body: page(line, `<h1>${line}</h1>`),
  }),
  h2o: (_line, body) => ({
    headers: { server: "h2o/2.2.5", [type]: "text/plain; charset=utf-8" },
    body,
  }),
  cloudflare: (_line, title) => ({
    headers: {
      server: "cloudflare",
      "cf-ray": "8a1b2c3d4e5f6071-FRA",
      [type]: "text/html; charset=UTF-8",
      "cache-control": "private, no-store",
    },
    body: page(title, `<h1>${title}</h1>\n<p>Cloudflare Ray ID: 8a1b2c3d4e5f6071</p>`),
  }),
  aws: (line) => ({
    headers: { server: "awselb/2.0", [type]: "text/html" },
    body: page(line, `<center><h1>${line}</h1></center>`),
  }),
};

type Row = readonly [
  line: string,
  when: "at once" | "closes" | number,
  cause: string,
  headers?: Gateway["headers"],
];

const location = "https://status.example/";
const proxyAuthenticate = 'Basic realm="Squid proxy-caching web server"';
const serviceCloses = "the service closes the connection";
const firewall = "a rule of the firewall";
const errorPage = (what: string): string => `the time limit, with \`error_page 504\` and ${what}`;
const errorDocument = "the time limit, with `ErrorDocument 502` and a URL";

/** Gateways that a fault can play, by name: the software, the status, and how it responds. */
const gateways = {
  "nginx-502-page": ["502 Bad Gateway", 1_000, serviceCloses],
  "nginx-504-page": ["504 Gateway Time-out", 60_000, "`proxy_read_timeout`"],
  "nginx-404-late": ["404 Not Found", 60_000, errorPage("a missing file")],
  "nginx-405-late": ["405 Not Allowed", 60_000, errorPage("a file, which takes no POST")],
  "nginx-302-late": ["302 Found", 60_000, errorPage("a URL"), { location }],
  "nginx-413-page": ["413 Request Entity Too Large", "at once", "`client_max_body_size`"],
  "nginx-403-page": ["403 Forbidden", "at once", "`deny`"],
  "nginx-429-page": ["429 Too Many Requests", "at once", "`limit_req_status 429`"],
  "nginx-503-page": ["503 Service Temporarily Unavailable", "at once", "`limit_req`"],
  "haproxy-502-page": ["502 Bad Gateway", 1_000, serviceCloses],
  "haproxy-503-page": ["503 Service Unavailable", "at once", "no server is up"],
  "haproxy-504-page": ["504 Gateway Time-out", 50_000, "`timeout server`"],
  "haproxy-302-late": ["302", 50_000, "the time limit, with `errorloc 504`", { location }],
  "haproxy-303-late": ["303", 50_000, "the time limit, with `errorloc303 504`", { location }],
  "haproxy-413-close": ["413 Payload Too Large", "closes", "`http-request deny deny_status 413`"],
  "haproxy-429-page": ["429 Too Many Requests", "at once", "`http-request deny deny_status 429`"],
  "apache-502-page": ["502 Proxy Error", 300_000, "`ProxyTimeout`"],
  "apache-302-late": ["302 Found", 300_000, errorDocument, { location }],
  "caddy-502-empty": ["502", 1_000, serviceCloses],
  "caddy-504-empty": ["504", 60_000, "`response_header_timeout`"],
  "varnish-503-page": ["503 Backend fetch failed", 60_000, "`first_byte_timeout`"],
  "squid-407-page": [
    "407 ERR_CACHE_ACCESS_DENIED",
    "at once",
    "a forward proxy without its password",
    { "proxy-authenticate": proxyAuthenticate },
  ],
  "squid-502-page": ["502 ERR_ZERO_SIZE_OBJECT", 1_000, serviceCloses],
  "squid-504-page": ["504 ERR_READ_TIMEOUT", 900_000, "`read_timeout`"],
  "lighttpd-504-page": ["504 Gateway Timeout", 60_000, "`read-timeout`"],
  "h2o-502-text": ["502 I/O error", 30_000, "`proxy.timeout.io`"],
  "h2o-413-close": ["413 request entity is too large", "closes", "`limit-request-body`"],
  "cloudflare-520-page": [
    "520 shop.example | 520: Web server is returning an error",
    1_000,
    serviceCloses,
  ],
  "cloudflare-522-page": [
    "522 shop.example | 522: Connection timed out",
    90_000,
    "the machine of the service confirms no data",
  ],
  "cloudflare-524-page": ["524 shop.example | 524: A timeout occurred", 100_000, "the time limit"],
  "cloudflare-403-page": ["403 Attention Required! | Cloudflare", "at once", firewall],
  "cloudflare-429-page": [
    "429 Access denied | shop.example used Cloudflare",
    "at once",
    "a rate limit",
    { "retry-after": "10" },
  ],
  "aws-502-page": ["502 Bad Gateway", 1_000, serviceCloses],
  "aws-503-page": ["503 Service Temporarily Unavailable", "at once", "no server is up"],
  "aws-504-page": ["504 Gateway Time-out", 60_000, "`idle_timeout`"],
  "aws-403-page": ["403 Forbidden", "at once", firewall],
} as const satisfies Readonly<Record<string, Row>>;

/**
 * Name of a gateway that a fault can play: the software, the status, and how it responds.
 *
 * @useDeclaredType
 */
export type GatewayName = keyof typeof gateways;

// Its keys are the names.
export const gatewayNames = Object.keys(gateways) as readonly GatewayName[];

export function gatewayNamed(name: GatewayName): Gateway {
  const row: Row = gateways[name];
  const [line, when, cause, more] = row;
  const [software = ""] = name.split("-");
  const { headers, body } = softwares[software]?.(line, line.slice(4)) ?? { headers: {}, body: "" };
  const response = { status: Number.parseInt(line), headers: { ...headers, ...more }, body, cause };
  if (when === "closes") return { ...response, closes: true };
  return when === "at once" ? response : { ...response, after: when };
}

export function gatewayResponse({ status, headers, body }: Gateway): HttpResponse {
  const response =
    body === "" ? { status, headers: { ...headers }, body: null } : html(body, status, headers);
  return { ...response, isOfGateway: true };
}
