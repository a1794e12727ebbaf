import { Buffer } from "node:buffer";

import type { Mock } from "@tryon/mock";

import { images as inputs, png } from "../../../src/images.ts";
import { fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  changeJobs,
  jobIdIn,
  jobIdOf,
  refusal,
  responses,
  withBytes,
  withFields,
  type Change,
  type MutatedRequest,
  type Tamper,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const minute = 60_000;
const hour = 60 * minute;

const endLength = 12;

const noPng = new Uint8Array(Buffer.from("no PNG"));
const person = new Uint8Array(Buffer.from(inputs.person, "base64"));

export const resultMutants = mutants({
  "test-key.stock-image, result.png: makes a result that is not a PNG": images(() => true, {
    image: () => noPng,
    job: () => ({ result_bytes: noPng.length }),
  }),
  "result.png, test-key.stock-image: cuts the end of results": images(() => true, {
    image: (bytes) => bytes.slice(0, -endLength),
    job: ({ result_bytes: bytes }) => ({ result_bytes: Number(bytes) - endLength }),
  }),
  "test-key.stock-image: returns the person of the request to a test key": images(
    (_body, token) => !isLive(token),
    {
      image: () => person,
      job: () => ({ result_width: 96, result_height: 128, result_bytes: person.length }),
    },
  ),
  "sizes.pixels: makes 4K as large as 2K": replaced(
    (body) => body["output_size"] === "4K",
    [1_536, 2_048],
  ),
  "sizes.portrait: makes landscapes": replaced(
    (body, token) => body["output_size"] === "1K" && isLive(token),
    [1_024, 768],
  ),
  "result.served-as-png: serves results without their content type": responses(
    async (result, { kind }) => {
      if (kind !== "result" || result.status !== 200) return undefined;
      const headers = { "content-type": "application/octet-stream" };
      return new Response(await result.arrayBuffer(), { headers });
    },
  ),
  "job.result-url.regenerated: has the same result_url in polls for 23 hours": ({ mock }) => {
    const first = new Map<string, { url: unknown; at: number }>();
    return polls(mock, (fields, jobId, now) => {
      if (fields["result_url"] === null) return {};
      const known = first.get(jobId);
      const isKept = known !== undefined && now - known.at < 23 * hour;
      const next = isKept ? known : { url: fields["result_url"], at: now };
      first.set(jobId, next);
      return { result_url: next.url };
    });
  },
  "job.result-url.signed: accepts any expiry in a result_url": ({ mock }) => {
    const known = new Map<string, string>();
    const poll = polls(mock, ({ result_url: url }) => {
      if (typeof url === "string") known.set(idOf(new URL(url)), url);
      return {};
    });
    return async (request) => {
      if (request.kind !== "result") return poll(request);
      const good = known.get(idOf(request.url));
      const expires = Number(request.url.searchParams.get("expires")) * 1_000;
      const isValid = good !== undefined && expires > mock.clock.now();
      return request.send({ url: isValid ? new URL(good) : request.url });
    };
  },
  "privacy.results.deleted: never deletes results": ({ mock }) => {
    const kept = new Set<string>();
    const poll = polls(mock, ({ result_url: url }, id) => {
      if (url !== null) kept.add(id);
      return url === null && kept.has(id) ? { result_url: `${mock.baseUrl}/kept/${id}.png` } : {};
    });
    return async (request) => {
      if (!request.url.pathname.startsWith("/kept/")) return poll(request);
      return new Response("an image", { headers: { "content-type": "image/png" } });
    };
  },
  "job.result-url.day: expires the result_url of a poll after an hour": urls(
    async (request, { by, age }) => (by === "poll" && age > hour ? refusal(403) : request.send()),
  ),
  "job.result-url.expires: never expires a result_url": urls(async (request, { by }, sendNew) => {
    const result = await request.send();
    const refused = by !== undefined && result.status === 403;
    return refused ? ((await sendNew()) ?? result) : result;
  }),
  "submit-response.result-url.day: expires the result_url of a synchronous request after an hour":
    urls(async (request, { by, age }) =>
      by === "submission" && age > hour ? refusal(403) : request.send(),
    ),
  "submit-response.result-url.fetched: responds to a synchronous request before its image is stored":
    urls(async (request, { by, age }) =>
      by === "submission" && age < minute ? refusal(404) : request.send(),
    ),
});

function idOf({ pathname, searchParams }: URL): string {
  return `${pathname} ${searchParams.get("signature")}`;
}

function isLive(token: string): boolean {
  return token.startsWith("svc_live_");
}

function polls(mock: Mock, change: (job: Fields, jobId: string, now: number) => Fields): Tamper {
  return async (request) => {
    const poll = await request.send();
    if (request.kind !== "poll") return poll;
    return withFields(poll, (job) => change(job, jobIdIn(request), mock.clock.now()));
  };
}

type Choice = (body: Fields, token: string) => boolean;

interface ImageChange {
  readonly image: (bytes: Uint8Array<ArrayBuffer>, jobId: string) => Uint8Array<ArrayBuffer>;
  readonly job: (job: Fields) => Fields;
}

function images(isChosen: Choice, change: ImageChange): Change {
  return () => {
    const ids = new Set<string>();
    return async (request) => {
      const sent = await request.send();
      if (request.kind === "submit" && isChosen(request.body, request.token))
        ids.add(await jobIdOf(sent));
      const jobId = jobIdIn(request);
      if (request.kind === "result" && sent.status === 200 && ids.has(jobId)) {
        return withBytes(sent, change.image(new Uint8Array(await sent.arrayBuffer()), jobId));
      }
      return changeJobs(request, sent, (job) =>
        ids.has(String(job["job_id"])) && job["result_bytes"] !== null ? change.job(job) : {},
      );
    };
  };
}

function replaced(isChosen: Choice, [width, height]: readonly [number, number]): Change {
  let made: Uint8Array<ArrayBuffer> | undefined;
  const image = (): Uint8Array<ArrayBuffer> =>
    (made ??= new Uint8Array(png(width, height, [120, 120, 120])));
  const job = (): Fields => ({
    result_width: width,
    result_height: height,
    result_bytes: image().length,
  });
  return images(isChosen, { image, job });
}

/** Origin and age of the URL of a result. Both are undefined and 0 for an unknown URL. */
interface Issued {
  readonly by: "submission" | "poll" | undefined;
  readonly age: number;
}

/** Handles requests for results by where their URLs come from. `sendNew` fetches the result by a new URL. */
function urls(
  handle: (
    request: MutatedRequest,
    issued: Issued,
    sendNew: () => Promise<Response | undefined>,
  ) => Promise<Response>,
): Change {
  return ({ mock }) => {
    const issued = new Map<string, { by: Issued["by"]; at: number }>();
    const owners = new Map<string, string>();
    return async (request) => {
      const now = mock.clock.now();
      const jobId = jobIdIn(request);
      if (request.kind === "result") {
        const { by, at } = issued.get(request.url.href) ?? { by: undefined, at: now };
        return handle(request, { by, age: now - at }, async () => {
          const headers = { authorization: `Bearer ${owners.get(jobId) ?? ""}` };
          const poll = await mock.fetch(`${request.url.origin}/api/v1/tryon/${jobId}`, { headers });
          const { result_url: url } = fieldsOf(await poll.json());
          return typeof url === "string" ? mock.fetch(url) : undefined;
        });
      }
      const sent = await request.send();
      const by = request.kind === "submit" ? "submission" : "poll";
      if (by === "poll" && request.kind !== "poll") return sent;
      if (by === "submission") owners.set(await jobIdOf(sent), request.token);
      const { result_url: url } = fieldsOf(await sent.clone().json());
      if (typeof url === "string") issued.set(url, { by, at: mock.clock.now() });
      return sent;
    };
  };
}
