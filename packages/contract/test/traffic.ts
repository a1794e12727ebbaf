import { createMock, type Mock, type MockOptions } from "@tryon/mock";

import { images } from "../src/images.ts";
import { Observer } from "../src/observe/observer.ts";
import type { Recorded } from "../src/observe/session-file.ts";
import { parseExchange, type Exchange } from "../src/record/exchange.ts";
import type { MaskOptions } from "../src/record/mask.ts";
import { recorded } from "./recorded.ts";

type Fields = Readonly<Record<string, unknown>>;

const submitPath = "/api/v1/tryon";

export class Traffic {
  readonly mock: Mock;
  readonly exchanges: ReturnType<typeof recorded>["exchanges"];
  readonly #fetch: typeof globalThis.fetch;
  #count = 0;

  constructor(mock: Mock, options: MaskOptions = {}) {
    this.mock = mock;
    const { exchanges, fetch } = recorded(mock, options);
    this.exchanges = exchanges;
    this.#fetch = fetch;
  }

  async send(
    method: string,
    path: string,
    { key = this.mock.keys.live, body, type = "application/json", ...headers }: SendOptions = {},
  ): Promise<{ readonly status: number; readonly fields: Fields }> {
    const response = await this.#fetch(`${this.mock.baseUrl}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": type }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // Responses of the service are objects.
    const fields = text.startsWith("{") ? (JSON.parse(text) as Fields) : {};
    return { status: response.status, fields };
  }

  get(path: string, options: SendOptions = {}) {
    return this.send("GET", path, options);
  }

  submit(fields: Fields = {}, options: SendOptions = {}) {
    const body = {
      person_image_b64: images.person,
      garment_images_b64: [images.garment],
      wait: false,
      ...fields,
    };
    return this.send("POST", submitPath, { body, ...options });
  }

  async finish(fields: Fields = {}, options: SendOptions = {}): Promise<string> {
    const { fields: job } = await this.submit(fields, options);
    const path = `${submitPath}/${String(job["job_id"])}`;
    await this.get(path, options);
    await this.mock.clock.advance("5s");
    await this.get(path, options);
    return path;
  }

  unique(): string {
    return `order-${(this.#count += 1)}`;
  }
}

interface SendOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly type?: string;
  readonly "idempotency-key"?: string;
}

const scenes: Readonly<Record<string, (traffic: Traffic) => Promise<unknown>>> = {
  malformed: async (traffic) => {
    await traffic.send("POST", submitPath, { key: null, body: "{" });
    await traffic.send("POST", submitPath, { body: "{" });
    await traffic.submit({}, { type: "text/plain" });
  },
  fields: async (traffic) => {
    await traffic.submit({ seed: -1 });
    await traffic.submit({ prompt: "x".repeat(1_001) });
    await traffic.submit({ wait: "false" });
    await traffic.submit({ person_image_b64: "AAAA" });
  },
  lists: async (traffic) => {
    await traffic.submit();
    await traffic.get(`${submitPath}?cursor=nowhere`);
    await traffic.get(`${submitPath}?limit=0`);
    await traffic.get(`${submitPath}?limit=100`);
    const { fields } = await traffic.get(`${submitPath}?limit=1`);
    await traffic.get(`${submitPath}?limit=1&cursor=${String(fields["next_cursor"])}`);
  },
  manyJobs: async (traffic) => {
    const { token: key } = await traffic.mock.createKey({
      mode: "test",
      rateLimitPerMinute: 1_000,
    });
    for (let job = 0; job < 55; job += 1) await traffic.submit({}, { key });
    await traffic.mock.clock.advance("5s");
    await traffic.get(`${submitPath}?limit=90`, { key });
  },
  repeats: async (traffic) => {
    const options = { "idempotency-key": traffic.unique() };
    await traffic.finish({}, options);
    await traffic.submit({}, options);
    await traffic.submit({ seed: 4 }, options);
  },
  twins: async (traffic) => {
    const options = { "idempotency-key": traffic.unique() };
    const fields = { wait: true, prompt: "mock:slow=4000" };
    const first = traffic.submit(fields, options);
    await traffic.mock.clock.advance("1s");
    const second = traffic.submit(fields, options);
    await traffic.mock.clock.advance("10s");
    await Promise.all([first, second]);
  },
  refusedKey: async (traffic) => {
    const { token: key } = await traffic.mock.createKey({ credits: 0 });
    const options = { key, "idempotency-key": traffic.unique() };
    await traffic.submit({}, options);
    const body = {
      pack_slug: "demo",
      shared_payment_granted_token: `spt_test_${traffic.unique()}`,
    };
    await traffic.send("POST", "/api/v1/credits/purchase", { key, body });
    await traffic.submit({ seed: 3 }, options);
  },
  refunds: async (traffic) => {
    const { token: key } = await traffic.mock.createKey({ credits: 100 });
    for (const outcome of ["model_rejected", "content_blocked"]) {
      await traffic.get("/api/v1/account", { key });
      await traffic.finish({ prompt: `mock:${outcome}` }, { key });
      await traffic.get("/api/v1/account", { key });
    }
  },
  rateLimit: async (traffic) => {
    const { token: key } = await traffic.mock.createKey({ rateLimitPerMinute: 2 });
    for (let call = 0; call < 3; call += 1) await traffic.get("/api/v1/account", { key });
    await traffic.mock.clock.advance("2m");
  },
  queue: async (traffic) => {
    await traffic.submit();
    await traffic.submit();
    await traffic.mock.clock.advance("10s");
  },
  slow: async (traffic) => {
    const response = traffic.submit({ wait: true, prompt: "mock:slow=45000" });
    await traffic.mock.clock.advance("100s");
    await response;
  },
  foreign: async (traffic) => {
    const path = await traffic.finish();
    const { token: key } = await traffic.mock.createKey();
    await traffic.get(path, { key });
  },
  purchases: async (traffic) => {
    const token = { shared_payment_granted_token: `spt_test_${traffic.unique()}` };
    const body = { pack_slug: "no-such-pack", ...token };
    await traffic.send("POST", "/api/v1/credits/purchase", { body });
    const options = { key: traffic.mock.keys.test, body: { pack_slug: "pro", ...token } };
    await traffic.send("POST", "/api/v1/credits/purchase", options);
  },
  others: async (traffic) => {
    await traffic.get("/api/discovery", { key: null });
    await traffic.get("/api/v1/account/");
    await traffic.finish({ prompt: "mock:storage_failed" });
  },
};

export const sceneNames = Object.keys(scenes);

export async function recordScenes(names: readonly string[], given: MockOptions = {}) {
  const mock = createMock({ clock: "manual", seed: 1, ...given });
  const traffic = new Traffic(mock);
  for (const name of names) {
    await scenes[name]?.(traffic);
    await mock.clock.advance("2m");
  }
  mock.close();
  return { session: sessionOf(traffic.exchanges), options: mock.options };
}

/** Exchanges as they are read from the lines of a session. */
export function sessionOf(exchanges: readonly Exchange[]): readonly Recorded[] {
  return exchanges.map((exchange, index) => ({
    exchange: parseExchange(JSON.stringify(exchange)),
    place: `s:${index + 1}`,
  }));
}

export function observe(session: readonly Recorded[]) {
  const observer = new Observer();
  for (const { exchange, place } of session) observer.add(exchange, place);
  const observation = observer.end();
  const shown = observation.options.flatMap(({ option, value }) =>
    value === undefined ? [] : [[option, value] as const],
  );
  const contradicting = observation.options.filter((one) => one.contradictions.length > 0);
  return { ...observation, shown: Object.fromEntries(shown), contradicting };
}
