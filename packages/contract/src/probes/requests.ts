import { probeGroup } from "../check.ts";
import { mustHaveStatus } from "../checks/expectations.ts";
import { described } from "../checks/requests/check-rows.ts";
import { images } from "../images.ts";
import { fieldStatus } from "../seen/memory.ts";
import { isSubmit, lengthOf, refusal, sentType, type Seen } from "../seen/seen.ts";
import { must, need, SkipCheck } from "../outcome.ts";
import { markerOf } from "../record/exchange.ts";
import { maxBodyBytes } from "../schema-checks.ts";
import type { Session } from "../session.ts";
import { gatewayOf } from "../wire/gateway.ts";
import { isLoopback } from "../wire/guarded-fetch.ts";
import { LargeText } from "../wire/large-text.ts";
import { elementsOf, fieldsOf, isHtml, pathOf } from "../wire/response.ts";
import { NoResponse } from "../wire/send.ts";

const path = "/api/v1/tryon";
const invalidJson = { raw: "{", headers: { "content-type": "application/json" } };

/** The option decides between statuses, and only for responses that show it. */
export const ifShown = (): boolean => false;

export const requestProbes = probeGroup(0, {
  checkOrder: {
    async provoke({ http }) {
      const response = await http.request("POST", path, { ...invalidJson, key: null });
      mustHaveStatus(response, [400, 401, 422], "a request without key and JSON");
    },
    judge(seen) {
      if (!isSubmit(seen) || seen.key !== null || !isInvalidJson(seen)) return undefined;
      return seen.status === 401 ? ["auth-first"] : refusal(seen) && ["body-first"];
    },
    // A request that is refused before its key is checked has no rate limit.
    explains: { status: ifShown, headers: /^x-ratelimit-/ },
  },
  malformedBody: {
    async provoke({ http }) {
      const response = await http.request("POST", path, invalidJson);
      mustHaveStatus(response, [400, 422], "a body that is not JSON");
    },
    judge(seen) {
      const isKnown = isSubmit(seen) && seen.key !== null && isInvalidJson(seen);
      return isKnown && sentType(seen) === "application/json" ? refusal(seen) : undefined;
    },
    explains: { status: ifShown },
  },
  fieldStatus: {
    credits: 8,
    provoke: ({ http }) => http.submit({ seed: -1 }),
    judge(seen) {
      const status = fieldStatus(seen);
      return status === undefined ? undefined : [status];
    },
    explains: { status: ifShown },
  },
  wrongContentType: {
    credits: 8,
    provoke: ({ http }) => http.submit({}, { headers: { "content-type": "text/plain" } }),
    judge(seen) {
      const type = sentType(seen);
      if (!isSubmit(seen) || type === "" || /json/.test(type)) return undefined;
      // Otherwise it is refused as a malformed body is, with either status.
      return seen.status === 415 ? [415] : refusal(seen) && [422];
    },
    explains: {
      status: ifShown,
      deviation: [
        "415 for another content type",
        ({ status }, problem) => status === 415 && problem.includes("lacks the status"),
      ],
    },
  },
  metadataCount: {
    credits: 24,
    async provoke(session) {
      const takes = (name: string, value: unknown) =>
        isTaken(session, { metadata: { [name]: value } });
      if (await takes("k".repeat(257), "x")) return undefined;
      if (await takes("note", "x".repeat(257))) return "keys";
      return (await takes("note", ["x".repeat(253)])) ? "text" : "json";
    },
  },
  garmentDataUris: {
    credits: 8,
    provoke: (session) =>
      isTaken(session, { garment_images_b64: [`data:image/png;base64,${images.garment}`] }),
  },
  discoveryKey: {
    provoke: ({ http }) => http.request("GET", "/api/discovery", { key: null }),
    judge(seen) {
      if (seen.operation !== "GET /api/discovery" || seen.key !== null) return undefined;
      if (seen.status === 200) return [false];
      return seen.status === 401 || seen.status === 403 ? [true] : undefined;
    },
    explains: {
      status: ifShown,
      deviation: [
        "401 or 403 for discovery without a key",
        (response, problem) =>
          pathOf(response) === "/api/discovery" &&
          /lacks the status 40[13]/.test(problem) &&
          response.request.headers["authorization"] === undefined,
      ],
    },
  },
  echoInput: {
    credits: 8,
    provoke: ({ http }) => http.submit({ prompt: "x".repeat(1_001) }),
    judge(seen) {
      if (seen.status !== 422) return undefined;
      for (const problem of elementsOf(seen.got["detail"]).map(fieldsOf)) {
        const [part, ...names] = elementsOf(problem["loc"]);
        let sent: unknown = part === "body" ? seen.sent : undefined;
        for (const name of names) sent = Object(sent)[String(name)];
        const [length = 0, echoed] = [lengthOf(sent), lengthOf(problem["input"])];
        // Texts of this length are cut, and recorded lengths differ by less than 3.
        if (length > 80 && echoed !== undefined) return echoed < length - 3 ? ["cut"] : ["full"];
      }
      return undefined;
    },
  },
  oversize: {
    level: "full",
    credits: 8,
    async provoke({ context, http, keys }) {
      // The kit only sends it once, and only where the transfer costs nothing.
      const isLocal = isLoopback(context.baseUrl) || keys.hasControl;
      need(isLocal, "The kit sends 64 MiB only to a deployment on this machine.");
      await http
        .submit({ padding: LargeText.repeat("x", maxBodyBytes + 1) })
        .catch((error: unknown) => {
          if (!(error instanceof NoResponse)) throw error;
          throw new SkipCheck("The connection broke during a body over 64 MiB.", { cause: error });
        });
    },
    judge(seen) {
      const { status, headers, exchange } = seen;
      if (!isSubmit(seen) || exchange.request.bytes <= maxBodyBytes) return undefined;
      const gateway = gatewayOf({ headers: { get: (name) => headers[name] ?? null } });
      if (status === 413 && gateway !== undefined) {
        return `The 413 for a body over 64 MiB is that of ${gateway}.`;
      }
      const isKnown = status === 400 || status === 413;
      return isKnown ? [status] : `A body over 64 MiB got ${status}.`;
    },
    explains: {
      status: ifShown,
      deviation: [
        "413 with text/html for a body over 64 MiB",
        (response) =>
          response.status === 413 &&
          isHtml(response) &&
          (response.request.bytes ?? 0) > maxBodyBytes,
      ],
    },
  },
  jsonTypes: {
    credits: 16,
    async provoke(session) {
      const seed = await isTaken(session, { seed: "7" });
      const wait = await isTaken(session, { wait: "false" });
      const taken = seed ? "number" : "boolean";
      need(seed === wait, `The service accepts a string for a ${taken} only.`);
      // A refusal with 400 does not name the fields.
      return seed ? "lax" : "strict";
    },
    judge(seen) {
      const texts = ["wait", "seed"].filter((name) => lengthOf(seen.sent[name]) !== undefined);
      if (!isSubmit(seen) || texts.length === 0) return undefined;
      if (seen.status === 200) return ["lax"];
      const isRefused = elementsOf(seen.got["detail"])
        .map(fieldsOf)
        .some(
          ({ loc, type }) =>
            texts.includes(String(elementsOf(loc)[1])) && String(type).endsWith("_type"),
        );
      return isRefused ? ["strict"] : undefined;
    },
    explains: { status: ifShown },
  },
  slashRedirect: {
    async provoke({ http }) {
      const response = await http.request("GET", "/api/v1/account/");
      const { status } = response;
      if (status === 404) return;
      need(status === 307, `A path with a trailing slash got ${status}.`);
      const { url } = response.request;
      const { pathname } = new URL(response.headers.get("location") ?? "", url);
      const isSame = `${pathname}/` === new URL(url).pathname;
      must(isSame, `A trailing slash redirects to ${pathname}.`, response);
    },
    judge({ pathname, status, exchange }) {
      const isShown = /^\/api\/v1\/(?:account|tryon)\/$/.test(pathname);
      if (!isShown || exchange.method !== "GET") return undefined;
      return status === 307 ? [true] : status === 404 ? [false] : undefined;
    },
    explains: {
      status: ifShown,
      deviation: [
        "307 for a path with a trailing slash",
        (response) => response.status === 307 && pathOf(response).endsWith("/"),
      ],
    },
  },
});

function isInvalidJson({ exchange: { request } }: Seen): boolean {
  return markerOf(request.body)?.kind === "invalid-json";
}

async function isTaken({ http }: Session, fields: object): Promise<boolean> {
  const response = await http.submit({ ...fields });
  mustHaveStatus(response, [200, 400, 422], `a submission with ${described({ ...fields })}`);
  return response.status === 200;
}
