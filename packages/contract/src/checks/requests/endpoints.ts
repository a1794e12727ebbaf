import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { keyedEndpoints } from "../../wire/document.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";

const discoveryPaths = ["/", "/api/discovery", "/api/docs", "/api/v1/openapi.json"];

const describedPaths = [
  ...new Set(keyedEndpoints.map((endpoint) => endpoint.replace(/^\S+ /, ""))),
];

const origin = "http://localhost:3000"; // The reference server allows local pages by default.
const requestHeaders = ["authorization", "content-type", "idempotency-key"];

/** Response headers that a page must be able to read. */
const exposedHeaders = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
  "idempotent-replayed",
];

export const endpointChecks: readonly Check[] = checkRows("safe", 0, {
  "urls.endpoints": {
    title: "Has every endpoint below the base URL and /api/v1/",
    rules: ["service.base-url.given", "version.in-path"],
    credits: 8,
    async run({ http }) {
      const jobId = await http.start();
      await http.pollVisible(jobId);
      for (const endpoint of keyedEndpoints) {
        const [method = "", path = ""] = endpoint.replace("{job_id}", jobId).split(" ");
        // An empty body is invalid, so that it makes no job and buys nothing.
        const body = method === "POST" ? {} : undefined;
        const refused = path === "/api/v1/tryon" ? [400, 402, 422] : [400, 422];
        const response = await http.request(method, path, { body });
        mustHaveStatus(response, body ? refused : 200, `the endpoint ${method} ${path}`);
      }
    },
  },
  "urls.unknown": {
    title: "Refuses an unknown URL and a wrong method with a detail",
    rules: ["error-response.detail.string"],
    async run({ http, keys }) {
      for (const [method, path, key] of [
        ["GET", "/api/v1/contract-nowhere", null],
        ["GET", "/api/v1/contract-nowhere", keys.own],
        ["DELETE", "/api/v1/account", keys.own],
      ] as const) {
        const response = await http.request(method, path, { key });
        const { status } = response;
        must(status >= 400, `Expected an error for ${method} ${path}, got ${status}.`, response);
        // A 422 lists problems.
        const hasText = status === 422 || typeof fieldsOf(response.json)["detail"] === "string";
        must(hasText, `The ${status} has no text in detail.`, response);
      }
    },
  },
  "urls.wrong-method": {
    title: "Responds with 405 and Allow for a wrong method",
    async run({ http }) {
      for (const [method, path, methods] of [
        ["DELETE", "/api/v1/account", ["GET"]],
        ["PUT", "/api/v1/tryon", ["GET", "POST"]],
        ["GET", "/api/v1/credits/purchase", ["POST"]],
      ] as const) {
        const response = await http.request(method, path);
        mustHaveStatus(response, 405, `${method} ${path}`);
        mustAllow(response, methods);
      }
    },
  },
  "urls.head": {
    title: "Responds to HEAD without a body, as to GET or with 405",
    async run({ http }) {
      const response = await http.request("HEAD", "/api/v1/account");
      const { length } = response.bytes;
      mustHaveStatus(response, [200, 405], "HEAD /api/v1/account");
      must(length === 0, `The response to HEAD has a body of ${length} bytes.`, response);
      if (response.status === 405) mustAllow(response, ["GET"]);
    },
  },
  "discovery.two-urls": {
    title: "Has the discovery document at / and at /api/discovery",
    rules: ["discovery.document.two-urls"],
    async run(session) {
      const short = namesIn(await readDocument(session, "/"));
      const long = namesIn(await readDocument(session, "/api/discovery"));
      must(short === long, `The document at / has ${short}; that at /api/discovery has ${long}.`);
    },
  },
  "discovery.docs": {
    title: "Has a page of documentation in HTML",
    rules: ["discovery.docs.html-page"],
    async run({ http }) {
      const response = await http.request("GET", "/api/docs");
      mustHaveStatus(response, 200, "/api/docs");
      const isPage = /<(!doctype html|html)\b/i.test(response.text);
      must(isPage, "/api/docs is not a page of HTML.", response);
    },
  },
  "discovery.description": {
    title: "Describes its endpoints in OpenAPI, all of them below /api/v1/",
    rules: ["discovery.description.openapi-json", "version.in-path"],
    async run(session) {
      const { paths } = await readDocument(session, "/api/v1/openapi.json");
      const missing = describedPaths.filter((path) => fieldsOf(paths)[path] === undefined);
      must(missing.length === 0, `The description does not have ${missing.join(", ")}.`);
      const others = Object.keys(fieldsOf(paths)).filter(
        (path) => isEndpoint(path) && !describedPaths.includes(path),
      );
      must(others.length === 0, `The description has ${others.join(", ")} outside of /api/v1/.`);
    },
  },
  "discovery.description.version": {
    title: "Has the version 1.0.0 in its description",
    rules: ["version.description.openapi"],
    async run(session) {
      const { info } = await readDocument(session, "/api/v1/openapi.json");
      const { version } = fieldsOf(info);
      must(version === "1.0.0", `Expected the version 1.0.0, got ${String(version)}.`);
    },
  },
  "discovery.without-key": {
    title: "Has the same discovery documents with and without a key",
    rules: ["discovery.key.needed"],
    async run({ http }) {
      for (const path of discoveryPaths) {
        const known = await http.request("GET", path);
        const unknown = await http.request("GET", path, { key: null });
        mustHaveStatus(unknown, known.status, `${path} without a key, as with one`);
        const [less, more] = [namesIn(unknown.json), namesIn(known.json)];
        must(less === more, `${path} has ${less} without a key, and ${more} with one.`, unknown);
      }
    },
  },
  "cross-origin.preflight": {
    title: "Responds to a preflight without a key, so that a page can submit",
    async run({ http }) {
      const response = await http.request("OPTIONS", "/api/v1/tryon", {
        key: null,
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": requestHeaders.join(","),
        },
      });
      const { status } = response;
      must(status >= 200 && status < 300, `Expected 2xx for a preflight, got ${status}.`, response);
      mustAllowOrigin(response);
      const methods = listOf(response, "access-control-allow-methods");
      // Methods of forms need not be listed.
      if (methods.length > 0 && !methods.includes("*")) {
        mustList(response, "access-control-allow-methods", ["post"]);
      }
      mustList(response, "access-control-allow-headers", requestHeaders);
    },
  },
  "cross-origin.response": {
    title: "Exposes responses to pages, with their headers of rate limits and replays",
    async run({ http }) {
      const response = await http.account({ headers: { origin } });
      mustAllowOrigin(response);
      mustList(response, "access-control-expose-headers", exposedHeaders);
    },
  },
});

async function readDocument({ http }: Session, path: string): Promise<Fields> {
  const response = await http.request("GET", path);
  mustHaveStatus(response, 200, path);
  const document = fieldsOf(response.json);
  must(Object.keys(document).length > 0, `${path} is not a JSON object.`, response);
  return document;
}

function isEndpoint(path: string): boolean {
  return /\/(tryon|tryon\/\{\w+\}|account|credits\/purchase)$/.test(path);
}

function namesIn(document: unknown): string {
  return Object.keys(fieldsOf(document)).join(", ");
}

function mustAllowOrigin(response: HttpResponse): void {
  const allowed = response.headers.get("access-control-allow-origin");
  const message = `Access-Control-Allow-Origin is ${allowed ?? "missing"}.`;
  must(allowed === "*" || allowed === origin, message, response);
}

/** @throws CheckFailure unless the `Allow` of a 405 has these methods, and not the refused one (RFC 9110, 15.5.6). */
function mustAllow(response: HttpResponse, expected: readonly string[]): void {
  const { method, url } = response.request;
  const allow = response.headers.get("allow");
  const what = `the 405 to ${method} ${new URL(url).pathname}`;
  const all = expected.join(", ");
  must(allow !== null, `Expected ${all} in Allow of ${what}, got no Allow.`, response);
  // Names of methods are case-sensitive.
  const listed = new Set(allow.split(",").map((name) => name.trim()));
  const missing = expected.filter((name) => !listed.has(name)).join(", ");
  const got = allow.trim() === "" ? "an empty Allow, which allows no method" : `Allow: ${allow}`;
  must(missing === "", `Expected ${missing} in Allow of ${what}, got ${got}.`, response);
  must(!listed.has(method), `Expected no ${method} in Allow of ${what}, got ${got}.`, response);
}

function mustList(response: HttpResponse, header: string, expected: readonly string[]): void {
  const listed = listOf(response, header);
  const missing = expected.filter((value) => !listed.includes(value));
  must(missing.length === 0, `The header ${header} lacks ${missing.join(", ")}.`, response);
}

function listOf({ headers }: HttpResponse, name: string): readonly string[] {
  const values = (headers.get(name) ?? "").toLowerCase().split(",");
  return values.map((value) => value.trim()).filter((value) => value !== "");
}
