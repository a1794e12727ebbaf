import { createHash, randomUUID } from "node:crypto";

import { markerOf, type Exchange, type Marker } from "../record/exchange.ts";
import { isPack, type Seen } from "../seen/seen.ts";
import { elementsOf, fieldsOf, type Fields } from "../wire/response.ts";
import { regenerate } from "./regenerate-image.ts";

/** Part of a recording that cannot be sent again or compared. The message is the reason, without details of one request. */
export class NotCompared extends Error {
  override readonly name = "NotCompared";
}

/** Recorded headers that are sent again. The others belong to a connection, or their values are not recorded. */
const sentHeaders = ["accept", "content-type"];

const plainParameters = /^(?:limit|status|status_filter)$/;

/** Beginnings of payment tokens that a reference server settles by their name, by the recorded outcome. */
const tokens: Readonly<Record<string, string>> = {
  402: "spt_declined_",
  processing: "spt_processing_",
  requires_action: "spt_requires_action_",
  canceled: "spt_canceled_",
};

interface BuilderOptions {
  /** If true, the target takes any https URL for an image. */
  readonly acceptsUrls: boolean;
  readonly imageUrl: string | undefined;
  /** If true, jobs that the recording did not make are polled under their recorded ids. */
  readonly keepsIds: boolean;
}

export class RequestBuilder {
  readonly #options: BuilderOptions;
  readonly #run = randomUUID();
  readonly #jobs = new Map<string, string>();
  readonly #cursors = new Map<string, string>();
  #tokens = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  build(seen: Seen | undefined, exchange: Exchange) {
    const { headers } = exchange.request;
    const sent = sentHeaders.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const key = headers["idempotency-key"];
    if (key !== undefined) sent.push(["idempotency-key", this.#idempotencyKey(key)]);
    return {
      path: this.#path(seen, exchange),
      headers: Object.fromEntries(sent),
      body: this.#body(seen, exchange),
    };
  }

  learn(recorded: Fields, replayed: Fields): void {
    const { job_id: job, next_cursor: cursor } = recorded;
    const { job_id: newJob, next_cursor: newCursor } = replayed;
    if (typeof job === "string" && typeof newJob === "string") this.#jobs.set(job, newJob);
    if (typeof cursor === "string" && typeof newCursor === "string") {
      this.#cursors.set(cursor, newCursor);
    }
  }

  #path(seen: Seen | undefined, { path }: Exchange): string {
    const [pathname = "", search = ""] = path.split("?");
    const parts = pathname.split("/").map((part) => this.#segment(part, seen?.status));
    const query = [...new URLSearchParams(search)].map(([name, value]) => {
      if (plainParameters.test(name) && !value.startsWith("value-")) return [name, value];
      if (name !== "cursor") throw new NotCompared("A query parameter is not recorded");
      return [name, this.#cursor(value, seen)];
    });
    const text = new URLSearchParams(query).toString();
    return `${parts.join("/")}${text === "" ? "" : `?${text}`}`;
  }

  #segment(part: string, status: number | undefined): string {
    if (/^part-[0-9a-f]{12}$/.test(part)) throw new NotCompared("A path is not recorded");
    if (!/^job_\w+$/.test(part)) return part;
    const job = this.#jobs.get(part);
    if (job !== undefined) return job;
    // An unknown job stays one.
    if (status === 404 || (this.#options.keepsIds && !part.startsWith("job_alias"))) return part;
    throw new NotCompared("A job is not part of the replay");
  }

  #cursor(alias: string, seen: Seen | undefined): string {
    const cursor = this.#cursors.get(alias);
    if (cursor !== undefined) return cursor;
    const isUnknown = seen?.status !== 200 || elementsOf(seen.got["jobs"]).length === 0;
    if (isUnknown) return "unknown";
    throw new NotCompared("A cursor is not part of the replay");
  }

  /** Returns a key of the same length, or of 32 characters where a shorter one could be another's. */
  #idempotencyKey(alias: string): string {
    const digest = createHash("sha256").update(`${this.#run} ${alias}`).digest("hex").slice(0, 32);
    return digest.padEnd(Math.max(32, alias.length), "x");
  }

  #body(seen: Seen | undefined, exchange: Exchange): Uint8Array<ArrayBuffer> | undefined {
    const { body, bytes } = exchange.request;
    if (body === undefined) return undefined;
    const marker = markerOf(body);
    if (marker?.kind === "invalid-json") return Buffer.from("{".padEnd(bytes));
    if (marker !== undefined && "sha256" in marker) {
      return regenerate(marker.kind, bytes, marker.sha256);
    }
    if (marker?.kind === "json") throw new NotCompared("A body is not recorded");
    if (marker !== undefined) return Buffer.from("x".repeat(bytes));
    const isRefused = seen !== undefined && seen.status >= 400;
    const fields = { ...fieldsOf(body) };
    // A webhook would reach its receiver. Only a refusal can depend on it, and a recorder writes no URL.
    if (!isRefused || typeof fields["webhook_url"] === "string") delete fields["webhook_url"];
    if ("shared_payment_granted_token" in fields) {
      const token = this.#token(fields["shared_payment_granted_token"], seen);
      fields["shared_payment_granted_token"] = token;
    }
    const value = Array.isArray(body) ? body : fields;
    return Buffer.from(JSON.stringify(this.#value(value, isRefused)));
  }

  #token(recorded: unknown, seen: Seen | undefined): unknown {
    const marker = markerOf(recorded);
    if (marker?.kind !== "text") return recorded;
    const isTokenRefused = seen?.status === 400 && seen.sent["pack_slug"] !== undefined;
    if (seen?.status === 409) throw new NotCompared("Payment tokens are not recorded");
    const status = seen?.status === 200 ? String(seen.got["status"]) : String(seen?.status);
    const start =
      tokens[status] ?? (isTokenRefused && isPack(seen.sent["pack_slug"]) ? "x" : "spt_");
    if (marker.characters < 16) return start.slice(0, marker.characters);
    this.#tokens += 1;
    const own = `${start}${this.#tokens}_${this.#run.replaceAll("-", "")}`;
    return own
      .slice(0, Math.max(marker.characters, start.length + 8))
      .padEnd(marker.characters, "x");
  }

  #value(value: unknown, isRefused: boolean): unknown {
    const marker = markerOf(value);
    if (marker !== undefined) return this.#fromMarker(marker, isRefused);
    if (Array.isArray(value)) {
      return elementsOf(value).map((element) => this.#value(element, isRefused));
    }
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        looseText(name, one) ?? this.#value(one, isRefused),
      ]),
    );
  }

  #fromMarker(marker: Marker, isRefused: boolean): unknown {
    if ("sha256" in marker) {
      const base64 = regenerate(marker.kind, marker.bytes, marker.sha256).toString("base64");
      // A long text without spaces is recorded as bytes, up to 2 characters too short.
      return marker.kind === "bytes" && isRefused ? `${base64}xx` : base64;
    }
    if (marker.kind === "text") return "x".repeat(marker.characters);
    if (marker.kind === "number") return 1;
    if (marker.kind === "boolean") return true;
    if (marker.kind !== "url") throw new NotCompared("A value is not recorded");
    const { imageUrl, acceptsUrls } = this.#options;
    if (marker.scheme === "https" && !isRefused && imageUrl !== undefined) return imageUrl;
    if (!acceptsUrls && !isRefused) throw new NotCompared("URLs need --image-url");
    return `${marker.scheme}://recorded.example/${marker.alias}`;
  }
}

function looseText(field: string, value: unknown): string | undefined {
  const marker = markerOf(value);
  if (marker?.kind !== "text") return undefined;
  if (field === "seed") return "7".repeat(marker.characters);
  return field === "wait" ? { 4: "true", 5: "false" }[marker.characters] : undefined;
}
