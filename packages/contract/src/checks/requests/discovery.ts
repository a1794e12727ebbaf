import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import type { Session } from "../../session.ts";

const addresses = ["/", "/api/discovery", "/api/docs", "/api/v1/openapi.json"];

/** The endpoints that the description has to have; all of them are below the version. */
const paths = [
  "/api/v1/tryon",
  "/api/v1/tryon/{job_id}",
  "/api/v1/account",
  "/api/v1/credits/purchase",
];

/** What a deployment says of itself. The calls carry the key, but where it is the point that none is needed. */
export const discovery: readonly Check[] = [
  {
    id: "discovery.two-addresses",
    title: "Has the discovery document at / and at /api/discovery",
    rules: ["discovery.document.two-addresses"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const [short, long] = [await read(session, "/"), await read(session, "/api/discovery")];
      const same = Object.keys(short).join(" ") === Object.keys(long).join(" ");
      must(
        same,
        `The document at / has ${named(short)}; that at /api/discovery has ${named(long)}.`,
      );
    },
  },
  {
    id: "discovery.docs",
    title: "Has a page of documentation in HTML",
    rules: ["discovery.docs.html-page"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.call("GET", "/api/docs");
      must(answer.status === 200, `/api/docs was answered ${answer.status}.`, answer);
      must(/<(!doctype html|html)\b/i.test(answer.text), "/api/docs is no page of HTML.", answer);
    },
  },
  {
    id: "discovery.description",
    title: "Describes its endpoints for machines, all of them below /api/v1/",
    rules: ["discovery.description.openapi-json", "version.in-path"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const description = await read(session, "/api/v1/openapi.json");
      const described = fieldsOf(description["paths"]);
      const missing = paths.filter((path) => described[path] === undefined);
      must(missing.length === 0, `The description does not have ${missing.join(", ")}.`);
    },
  },
  {
    id: "discovery.description.version",
    title: "Describes itself as version 1.0.0",
    rules: ["version.description.openapi"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const { info } = await read(session, "/api/v1/openapi.json");
      const { version } = fieldsOf(info);
      must(
        version === "1.0.0",
        `The description has the version ${String(version)}, and not 1.0.0.`,
      );
    },
  },
  {
    id: "discovery.without-key",
    title: "Says what it is to those without a key",
    rules: ["discovery.key.needed"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const path of addresses) {
        const known = await session.call("GET", path);
        const stranger = await session.call("GET", path, { key: null });
        const seen = `${path} was answered ${stranger.status} without a key`;
        must(stranger.status === known.status, `${seen}, and ${known.status} with one.`, stranger);
        const [less, more] = [named(fieldsOf(stranger.json)), named(fieldsOf(known.json))];
        must(less === more, `${path} has ${less} without a key, and ${more} with one.`, stranger);
      }
    },
  },
];

async function read(session: Session, path: string): Promise<Fields> {
  const answer = await session.call("GET", path);
  must(answer.status === 200, `${path} was answered ${answer.status}.`, answer);
  const document = fieldsOf(answer.json);
  must(Object.keys(document).length > 0, `${path} is no JSON object.`, answer);
  return document;
}

function named(document: Fields): string {
  return Object.keys(document).join(", ");
}
