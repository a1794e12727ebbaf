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

type Details = Pick<Gateway, "after" | "closes" | "cause"> & {
  readonly headers?: Gateway["headers"];
};

function nginx(title: string, { headers = {}, ...rest }: Details): Gateway {
  return {
    status: Number.parseInt(title),
    headers: { server: "nginx/1.22.1", "content-type": "text/html", ...headers },
    body: page(title, `<center><h1>${title}</h1></center>\r\n<hr><center>nginx/1.22.1</center>`),
    ...rest,
  };
}

function haproxy(title: string, { headers = {}, ...rest }: Details): Gateway {
  return {
    status: Number.parseInt(title),
    headers: { "cache-control": "no-cache", "content-type": "text/html", ...headers },
    body: `<html><body><h1>${title}</h1>\nThe request was not served.\n</body></html>\n`,
    ...rest,
  };
}

/** A redirect of haproxy has no body. */
function haproxyRedirect(status: number): Gateway {
  return {
    status,
    headers: { "cache-control": "no-cache", location: "https://status.example/" },
    body: "",
    after: 50_000,
    cause: `the time limit, with \`errorloc${status === 302 ? "" : status} 504\``,
  };
}

function apache(title: string, { headers = {}, ...rest }: Details): Gateway {
  const heading = title.slice(4);
  const server = "Apache/2.4.71 (Debian)";
  return {
    status: Number.parseInt(title),
    headers: { server, "content-type": "text/html; charset=iso-8859-1", ...headers },
    body:
      `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">\n<html><head>\n<title>${title}</title>\n</head><body>\n` +
      `<h1>${heading}</h1>\n<hr>\n<address>${server} Server at shop.example Port 443</address>\n</body></html>\n`,
    ...rest,
  };
}

function caddy(status: number, details: Details): Gateway {
  return { status, headers: { server: "Caddy" }, body: "", ...details };
}

function squid(title: string, error: string, { headers = {}, ...rest }: Details): Gateway {
  return {
    status: Number.parseInt(title),
    headers: {
      server: "squid/5.7",
      "mime-version": "1.0",
      "content-type": "text/html;charset=utf-8",
      "content-language": "en",
      "x-squid-error": `${error} 0`,
      via: "1.1 proxy.example (squid/5.7)",
      ...headers,
    },
    body: page(
      "ERROR: The requested URL could not be retrieved",
      `<h1>ERROR</h1>\n<hr>\n<p>${error}</p>\n<hr>\n<p>proxy.example (squid/5.7)</p>`,
    ),
    ...rest,
  };
}

function h2o(status: number, body: string, details: Details): Gateway {
  const headers = { server: "h2o/2.2.5", "content-type": "text/plain; charset=utf-8" };
  return { status, headers, body, ...details };
}

function cloudflare(status: number, title: string, { headers = {}, ...rest }: Details): Gateway {
  return {
    status,
    headers: {
      server: "cloudflare",
      "cf-ray": "8a1b2c3d4e5f6071-FRA",
      "content-type": "text/html; charset=UTF-8",
      "cache-control": "private, no-store",
      ...headers,
    },
    body: page(title, `<h1>${title}</h1>\n<p>Cloudflare Ray ID: 8a1b2c3d4e5f6071</p>`),
    ...rest,
  };
}

function awsBalancer(title: string, details: Details): Gateway {
  return {
    status: Number.parseInt(title),
    headers: { server: "awselb/2.0", "content-type": "text/html" },
    body: page(title, `<center><h1>${title}</h1></center>`),
    ...details,
  };
}

const location = "https://status.example/";

/** Gateways that a fault can play, by name: the software, the status, and how it responds. */
const gateways = {
  "nginx-502-page": nginx("502 Bad Gateway", {
    after: 1_000,
    cause: "the service closes the connection",
  }),
  "nginx-504-page": nginx("504 Gateway Time-out", {
    after: 60_000,
    cause: "`proxy_read_timeout`",
  }),
  "nginx-404-late": nginx("404 Not Found", {
    after: 60_000,
    cause: "the time limit, with `error_page 504` and a missing file",
  }),
  "nginx-405-late": nginx("405 Not Allowed", {
    after: 60_000,
    cause: "the time limit, with `error_page 504` and a file, which takes no POST",
  }),
  "nginx-302-late": nginx("302 Found", {
    headers: { location },
    after: 60_000,
    cause: "the time limit, with `error_page 504` and a URL",
  }),
  "nginx-413-page": nginx("413 Request Entity Too Large", { cause: "`client_max_body_size`" }),
  "nginx-403-page": nginx("403 Forbidden", { cause: "`deny`" }),
  "nginx-429-page": nginx("429 Too Many Requests", { cause: "`limit_req_status 429`" }),
  "nginx-503-page": nginx("503 Service Temporarily Unavailable", { cause: "`limit_req`" }),
  "haproxy-502-page": haproxy("502 Bad Gateway", {
    after: 1_000,
    cause: "the service closes the connection",
  }),
  "haproxy-503-page": haproxy("503 Service Unavailable", { cause: "no server is up" }),
  "haproxy-504-page": haproxy("504 Gateway Time-out", { after: 50_000, cause: "`timeout server`" }),
  "haproxy-302-late": haproxyRedirect(302),
  "haproxy-303-late": haproxyRedirect(303),
  "haproxy-413-close": haproxy("413 Payload Too Large", {
    closes: true,
    cause: "`http-request deny deny_status 413`",
  }),
  "haproxy-429-page": haproxy("429 Too Many Requests", {
    cause: "`http-request deny deny_status 429`",
  }),
  "apache-502-page": apache("502 Proxy Error", { after: 300_000, cause: "`ProxyTimeout`" }),
  "apache-302-late": apache("302 Found", {
    headers: { location },
    after: 300_000,
    cause: "the time limit, with `ErrorDocument 502` and a URL",
  }),
  "caddy-502-empty": caddy(502, { after: 1_000, cause: "the service closes the connection" }),
  "caddy-504-empty": caddy(504, { after: 60_000, cause: "`response_header_timeout`" }),
  "varnish-503-page": {
    status: 503,
    headers: {
      server: "Varnish",
      "content-type": "text/html; charset=utf-8",
      "retry-after": "5",
      "x-varnish": "32770",
      age: "0",
      via: "1.1 varnish (Varnish/7.1)",
    },
    body: page(
      "503 Backend fetch failed",
      "<h1>Error 503 Backend fetch failed</h1>\n<p>XID: 32771</p>\n<hr>\n<p>Varnish cache server</p>",
    ),
    after: 60_000,
    cause: "`first_byte_timeout`",
  },
  "squid-407-page": squid("407 Proxy Authentication Required", "ERR_CACHE_ACCESS_DENIED", {
    headers: { "proxy-authenticate": 'Basic realm="Squid proxy-caching web server"' },
    cause: "a forward proxy without its password",
  }),
  "squid-502-page": squid("502 Bad Gateway", "ERR_ZERO_SIZE_OBJECT", {
    after: 1_000,
    cause: "the service closes the connection",
  }),
  "squid-504-page": squid("504 Gateway Timeout", "ERR_READ_TIMEOUT", {
    after: 900_000,
    cause: "`read_timeout`",
  }),
  "lighttpd-504-page": {
    status: 504,
    headers: { server: "lighttpd/1.4.69", "content-type": "text/html" },
    body: page("504 Gateway Timeout", "<h1>504 Gateway Timeout</h1>"),
    after: 60_000,
    cause: "`read-timeout`",
  },
  "h2o-502-text": h2o(502, "I/O error", { after: 30_000, cause: "`proxy.timeout.io`" }),
  "h2o-413-close": h2o(413, "request entity is too large", {
    closes: true,
    cause: "`limit-request-body`",
  }),
  "cloudflare-520-page": cloudflare(520, "shop.example | 520: Web server is returning an error", {
    after: 1_000,
    cause: "the service closes the connection",
  }),
  "cloudflare-522-page": cloudflare(522, "shop.example | 522: Connection timed out", {
    after: 90_000,
    cause: "the machine of the service confirms no data",
  }),
  "cloudflare-524-page": cloudflare(524, "shop.example | 524: A timeout occurred", {
    after: 100_000,
    cause: "the time limit",
  }),
  "cloudflare-403-page": cloudflare(403, "Attention Required! | Cloudflare", {
    cause: "a rule of the firewall",
  }),
  "cloudflare-429-page": cloudflare(429, "Access denied | shop.example used Cloudflare", {
    headers: { "retry-after": "10" },
    cause: "a rate limit",
  }),
  "aws-502-page": awsBalancer("502 Bad Gateway", {
    after: 1_000,
    cause: "the service closes the connection",
  }),
  "aws-503-page": awsBalancer("503 Service Temporarily Unavailable", { cause: "no server is up" }),
  "aws-504-page": awsBalancer("504 Gateway Time-out", { after: 60_000, cause: "`idle_timeout`" }),
  "aws-403-page": awsBalancer("403 Forbidden", { cause: "a rule of the firewall" }),
} as const satisfies Readonly<Record<string, Gateway>>;

/**
 * Name of a gateway that a fault can play: the software, the status, and how it responds.
 *
 * @useDeclaredType
 */
export type GatewayName = keyof typeof gateways;

// Its keys are the names.
export const gatewayNames = Object.keys(gateways) as readonly GatewayName[];

export function gatewayNamed(name: GatewayName): Gateway {
  return gateways[name];
}

const gatewayMark = Symbol("gateway");

export function gatewayResponse({ status, headers, body }: Gateway): Response {
  const response =
    body === "" ? new Response(null, { status, headers }) : html(body, status, headers);
  return Object.assign(response, { [gatewayMark]: true });
}

/** If true, a gateway sent the response, so it has no headers of the service. */
export function isGatewayResponse(response: Response): boolean {
  return Reflect.has(response, gatewayMark);
}
