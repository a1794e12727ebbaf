import { createHmac, randomBytes } from "node:crypto";

import {
  documentedFields,
  operationOf,
  operations,
  type DocumentedFields,
} from "../wire/document.ts";
import { Redactor } from "../wire/redactor.ts";
import type { RecordedJson } from "./body-recorder.ts";
import { recordText } from "./content-recorder.ts";
import type { Marker, RecordedMessage } from "./exchange.ts";

/** Documented fields with names and times of the service, whose short values are recorded. */
const plainFields = wordsOf(`
  completed_at created_at error_code loc mode openapi output_size pack_slug resolution
  result_content_type size status type version`);

/** Fields whose values belong to the user, numbers included. `keepText` keeps them. */
const userFields = wordsOf("metadata prompt style_hint negative_prompt");

/** Documented fields that repeat what the user sent. */
const echoFields = wordsOf("input ctx");

type Position = DocumentedFields | "user's" | "unknown";

const plainHeaders = wordsOf(`
  accept accept-encoding allow cache-control connection content-encoding content-length content-type date
  expect idempotent-replayed retry-after server transfer-encoding vary x-mock x-ratelimit-limit
  x-ratelimit-remaining x-ratelimit-reset`);

const segments = new Set(operations.flatMap(({ title }) => title.split(/[ /]/)));

/** Value that can be recorded. Keys, tokens and signatures have longer runs of digits and letters. */
const plainValue = /^(?!.*(?:svc_|whsec_|spt_|_secret|[^\W_]{21}))[\w .:+/;,=-]{0,64}$/;

const jobId = /^job_\w{1,60}$/;

/** Options of {@link Masker}. */
export interface MaskOptions {
  /** If true, keeps prompts and the values of metadata. */
  readonly keepText?: boolean | undefined;
  /** If true, keeps the ids of jobs, so that a replay of reads alone can poll them. */
  readonly keepIds?: boolean | undefined;
}

/** Replaces everything in exchanges that may be secret or belong to a user. Aliases are the same within one recording. */
export class Masker {
  readonly #salt = randomBytes(32);
  readonly #redactor = new Redactor();
  readonly #keepText: boolean;
  readonly #keepIds: boolean;

  constructor({ keepText = false, keepIds = false }: MaskOptions) {
    this.#keepText = keepText;
    this.#keepIds = keepIds;
  }

  alias(kind: string, value: string): string {
    return `${kind}-${this.#digest(value).slice(0, 12)}`;
  }

  #digest(value: string): string {
    return createHmac("sha256", this.#salt).update(value).digest("hex");
  }

  /** Returns the alias of the id of a job, which has the form of an id. */
  #jobId(id: string): string {
    return this.#keepIds ? id : `job_alias${this.#digest(id).slice(0, 12)}`;
  }

  key(authorization: string | null | undefined): string | null {
    if (!authorization) return null;
    const [, token = authorization] = /^Bearer\s+(.+)$/i.exec(authorization) ?? [];
    const [, mode = "other"] = /^svc_(live|test)_/.exec(token) ?? [];
    return this.alias(mode, token);
  }

  path(path: string): string {
    const [pathname = "", search = ""] = path.split(/\?(.*)/s);
    const isKnown = operationOf("GET", pathname) ?? operationOf("POST", pathname);
    // A session has paths with one slash at the start only.
    const parts = pathname
      .replace(/^[/\\]*/, "/")
      .split("/")
      .map((part) => {
        if (segments.has(part)) return part;
        return isKnown && jobId.test(part) ? this.#jobId(part) : this.alias("part", part);
      });
    const query = [...new URLSearchParams(search)].map(([name, value]) => {
      const isPlain = /^(?:limit|status|status_filter)$/.test(name) && /^[\w.-]{0,20}$/.test(value);
      const known = /^[a-z_]{1,30}$/.test(name) ? name : this.alias("name", name);
      return `${known}=${isPlain ? value : this.alias("value", value)}`;
    });
    return `${parts.join("/")}${query.length > 0 ? "?" : ""}${query.join("&")}`;
  }

  /** Returns headers without `Authorization`. An idempotency key becomes an alias of the same length. */
  headers(headers: Iterable<readonly [string, string]>): RecordedMessage["headers"] {
    const masked: Record<string, string> = {};
    for (const [given, value] of headers) {
      const name = given.toLowerCase();
      if (name === "authorization" || name === "host") continue;
      if (name === "idempotency-key") {
        masked[name] = this.alias("key", value).padEnd(Math.min(value.length, 1_000), "x");
      } else if (plainHeaders.has(name) && plainValue.test(value)) masked[name] = value;
      else masked[this.#name(name)] = `(${value.length} characters)`;
    }
    return masked;
  }

  body(recorded: RecordedJson | Marker | undefined, kind: keyof typeof documentedFields): unknown {
    if (recorded === undefined || !("markerOf" in recorded)) return recorded;
    return this.#value(recorded.json, "", documentedFields[kind], recorded.markerOf);
  }

  #value(
    value: unknown,
    field: string,
    position: Position,
    markerOf: RecordedJson["markerOf"],
  ): unknown {
    const isKept = typeof position === "object" || (position === "user's" && this.#keepText);
    if (typeof value === "string") return markerOf(value) ?? this.#text(value, field, position);
    if (value === null || typeof value !== "object") {
      return isKept || value === null ? value : { kind: typeof value };
    }
    if (Array.isArray(value)) {
      return value.map((one) => this.#value(one, field, position, markerOf));
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        this.#name(name),
        this.#value(one, name, positionOf(name, position), markerOf),
      ]),
    );
  }

  #text(text: string, field: string, position: Position): unknown {
    if (position === "user's" && this.#keepText) return this.#redactor.redact(text);
    // Values of users first: under the name of a field of the service they are still theirs.
    if (typeof position === "object") {
      if (field === "job_id" && jobId.test(text)) return this.#jobId(text);
      if (field === "next_cursor") return this.alias("value", text);
      if (this.#isPlain(text, field)) return text;
      if (/^https?:\/\//.test(text) && URL.canParse(text)) return this.#url(new URL(text));
    }
    // Images are in fields with this end, and under other names.
    const isContent = field.endsWith("_b64") || text.length > 128;
    return isContent ? recordText(text) : { kind: "text", characters: text.length };
  }

  #isPlain(text: string, field: string): boolean {
    // The names of fields of a user can be in the path of an invalid one.
    if (field === "loc") return this.#name(text) === text;
    // The reason of a failed job is a word such as content_blocked, or a text.
    if (field === "error_message") return /^[a-z]{2,20}(?:_[a-z]{2,20}){1,3}$/.test(text);
    return plainFields.has(field) && plainValue.test(text);
  }

  #url({ protocol, origin, pathname, searchParams }: URL): Marker {
    return {
      kind: "url",
      scheme: protocol.slice(0, -1),
      origin: this.alias("origin", origin),
      alias: this.alias("url", `${origin}${pathname}`),
      query: [...searchParams.keys()].map((name) => this.#name(name)),
    };
  }

  /** Returns the name of a field, header or parameter. One that may be a secret becomes an alias. */
  #name(name: string): string {
    // Names have no long runs of digits and letters, as tokens do. Sizes are names of prices.
    const isPlain = /^(?:[a-z][a-z0-9]{0,15}(?:[_-][a-z0-9]{1,15}){0,6}|[124]K)$/i.test(name);
    return isPlain && name !== "kind" && plainValue.test(name) ? name : this.alias("name", name);
  }
}

function positionOf(field: string, position: Position): Position {
  if (typeof position !== "object") return position;
  if (userFields.has(field)) return "user's";
  return echoFields.has(field) ? "unknown" : (position.get(field) ?? "unknown");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
