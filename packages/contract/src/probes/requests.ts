import { probeGroup } from "../check.ts";
import { mustHaveStatus } from "../checks/expectations.ts";
import { described } from "../checks/requests/check-rows.ts";
import { images } from "../images.ts";
import { must, need, SkipCheck } from "../outcome.ts";
import type { Session } from "../session.ts";
import { maxBodyBytes } from "../schema-checks.ts";
import { gatewayOf } from "../wire/gateway.ts";
import { elementsOf, fieldsOf } from "../wire/response.ts";
import { isLoopback } from "../wire/guarded-fetch.ts";
import { NoResponse } from "../wire/send.ts";

const path = "/api/v1/tryon";
const invalidJson = { raw: "{", headers: { "content-type": "application/json" } };

/** Size of the padding in a body over 64 MiB. */
const oversizeBytes = maxBodyBytes + 1;

/** Open points of the validation of requests. */
export const requestProbes = probeGroup(0, {
  checkOrder: {
    title: "Order in which the service checks the key and the body",
    async observe(session) {
      const response = await session.request("POST", path, { ...invalidJson, key: null });
      mustHaveStatus(response, [400, 401, 422], "a request without key and JSON");
      return response.status === 401 ? "auth-first" : "body-first";
    },
  },
  malformedBody: {
    title: "Status for a body that is not a JSON object",
    async observe(session) {
      const response = await session.request("POST", path, invalidJson);
      mustHaveStatus(response, [400, 422], "a body that is not JSON");
      return response.status;
    },
  },
  fieldStatus: {
    title: "Status for a field that breaks its schema",
    credits: 8,
    async observe(session) {
      const { status } = await session.submit({ seed: -1 });
      return status === 400 || status === 422 ? status : undefined;
    },
  },
  wrongContentType: {
    title: "Status for a POST that is not JSON by its content type",
    credits: 8,
    async observe(session) {
      const { status } = await session.submit({}, { headers: { "content-type": "text/plain" } });
      // Otherwise it is refused as a malformed body is, with either status.
      if (status === 400 || status === 422) return 422;
      return status === 415 ? 415 : undefined;
    },
  },
  metadataCount: {
    title: "Parts of an entry of metadata that count in its 256 characters",
    credits: 24,
    async observe(session) {
      const takes = (name: string, value: unknown) =>
        isTaken(session, { metadata: { [name]: value } });
      if (await takes("k".repeat(257), "x")) return undefined;
      if (await takes("note", "x".repeat(257))) return "keys";
      return (await takes("note", ["x".repeat(253)])) ? "text" : "json";
    },
  },
  garmentDataUris: {
    title: "Acceptance of the data: prefix in garment_images_b64",
    credits: 8,
    observe: (session) =>
      isTaken(session, { garment_images_b64: [`data:image/png;base64,${images.garment}`] }),
  },
  discoveryKey: {
    title: "Key for the discovery document",
    async observe(session) {
      const { status } = await session.request("GET", "/api/discovery", { key: null });
      return status === 200 ? false : status === 401 || status === 403 ? true : undefined;
    },
  },
  echoInput: {
    title: "Length of a refused value in a validation error",
    credits: 8,
    async observe(session) {
      const prompt = "x".repeat(1_001);
      const response = await session.submit({ prompt });
      const [problem] = elementsOf(fieldsOf(response.json)["detail"]).map(fieldsOf);
      const { input } = problem ?? {};
      if (typeof input !== "string") return undefined;
      return input.length < prompt.length ? "cut" : "full";
    },
  },
  oversize: {
    title: "Status for a body over 64 MiB",
    level: "full",
    credits: 8,
    async observe(session) {
      // The kit only sends it once, and only where the transfer costs nothing.
      const isLocal = isLoopback(session.context.baseUrl) || session.hasControl;
      need(isLocal, "The kit sends 64 MiB only to a deployment on this machine.");
      const padding = "x".repeat(oversizeBytes);
      const response = await session.submit({ padding }).catch((error: unknown) => {
        if (!(error instanceof NoResponse)) throw error;
        throw new SkipCheck("The connection broke during a body over 64 MiB.", { cause: error });
      });
      const { status } = response;
      need(status === 400 || status === 413, `A body over 64 MiB got ${status}.`);
      const gateway = status === 413 ? gatewayOf(response) : undefined;
      need(gateway === undefined, `The 413 for a body over 64 MiB is that of ${gateway}.`);
      return status;
    },
  },
  jsonTypes: {
    title: "Acceptance of strings that spell a boolean or a number",
    credits: 16,
    async observe(session) {
      const seed = await isTaken(session, { seed: "7" });
      const wait = await isTaken(session, { wait: "false" });
      const taken = seed ? "number" : "boolean";
      need(seed === wait, `The service accepts a string for a ${taken} only.`);
      return seed ? "lax" : "strict";
    },
  },
  slashRedirect: {
    title: "Redirect of a path with a trailing slash",
    async observe(session) {
      const response = await session.request("GET", "/api/v1/account/");
      const { status } = response;
      if (status === 404) return false;
      need(status >= 300 && status < 400, `A path with a trailing slash got ${status}.`);
      const { url } = response.request;
      const { pathname } = new URL(response.headers.get("location") ?? "", url);
      const isSame = `${pathname}/` === new URL(url).pathname;
      must(isSame, `A trailing slash redirects to ${pathname}.`, response);
      return true;
    },
  },
});

async function isTaken(session: Session, fields: object): Promise<boolean> {
  const response = await session.submit({ ...fields });
  mustHaveStatus(response, [200, 400, 422], `a submission with ${described({ ...fields })}`);
  return response.status === 200;
}
