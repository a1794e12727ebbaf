import type { Mutant } from "../mutant.ts";
import { fieldsIn, miscounted, refusal, rewritten, submits, tampered } from "../tampering.ts";
import type { TamperedCall } from "../tampering.ts";

const section = "Endpoints / POST /api/v1/tryon";

/** First request under a key. */
interface First {
  readonly token: string;
  readonly text: string;
  readonly response: Response;
}

/** First response with 200 under each key of each API key. */
class Firsts {
  readonly #known = new Map<string, First>();

  of({ token, idempotencyKey }: TamperedCall): First | undefined {
    return this.#known.get(`${token} ${idempotencyKey}`);
  }

  note({ token, idempotencyKey, text }: TamperedCall, response: Response): void {
    if (response.status !== 200 || idempotencyKey === "") return;
    const name = `${token} ${idempotencyKey}`;
    if (!this.#known.has(name)) {
      this.#known.set(name, { token, text, response: response.clone() });
    }
  }
}

/** Changes responses to repeated submissions. */
function replaying(
  replay: (call: TamperedCall, first: First) => Promise<Response>,
): Mutant["plant"] {
  return (mock) => {
    const firsts = new Firsts();
    return tampered(mock, async (call) => {
      if (!submits(call)) return call.send();
      const first = firsts.of(call);
      if (first !== undefined) return replay(call, first);
      const response = await call.send();
      firsts.note(call, response);
      return response;
    });
  };
}

/** Mutants in idempotency. */
export const idempotencyMutants: readonly Mutant[] = [
  {
    name: "charges a replay a second time",
    section,
    expected: ["idempotency.replay.free"],
    plant: (mock) => {
      const firsts = new Firsts();
      return miscounted(mock, async (call, books) => {
        const replayed = submits(call) && firsts.of(call) !== undefined;
        const response = await call.send();
        if (submits(call)) firsts.note(call, response);
        if (replayed && response.status === 200) books.add(call.token, -8);
        return response;
      });
    },
  },
  {
    name: "makes another job of a retried submission",
    section,
    expected: ["idempotency.replay.same-job"],
    plant: replaying((call, { text }) =>
      call.send(call.text === text ? { headers: { "idempotency-key": null } } : {}),
    ),
  },
  {
    name: "replays the current status",
    section,
    expected: ["idempotency.replay.first-response"],
    plant: (mock) => {
      const firsts = new Firsts();
      return tampered(mock, async (call) => {
        const response = await call.send();
        if (!submits(call)) return response;
        const replayed = firsts.of(call) !== undefined;
        firsts.note(call, response);
        if (!replayed || response.status !== 200) return response;
        const { job_id: jobId } = await fieldsIn(response);
        const poll = await mock.fetch(`${mock.baseUrl}/api/v1/tryon/${String(jobId)}`, {
          headers: { authorization: `Bearer ${call.token}` },
        });
        const { status } = await fieldsIn(poll);
        return rewritten(response, { fields: { status } });
      });
    },
  },
  {
    name: "makes a second job for a replay",
    section,
    expected: ["idempotency.replay.no-second-job"],
    plant: replaying(async (call) => {
      const response = await call.send();
      const isTest = call.token.startsWith("svc_test_");
      if (isTest && response.status === 200)
        await call.send({ headers: { "idempotency-key": null } });
      return response;
    }),
  },
  {
    name: "makes a job of each concurrent submission",
    section,
    expected: ["idempotency.concurrent.one-job"],
    plant: (mock) => {
      const waiting = new Map<string, number>();
      return tampered(mock, async (call) => {
        const { idempotencyKey } = call;
        if (!submits(call) || idempotencyKey === "" || call.body["wait"] === true) {
          return call.send();
        }
        const before = waiting.get(idempotencyKey) ?? 0;
        waiting.set(idempotencyKey, before + 1);
        try {
          return await call.send(before > 0 ? { headers: { "idempotency-key": null } } : {});
        } finally {
          waiting.set(idempotencyKey, (waiting.get(idempotencyKey) ?? 1) - 1);
        }
      });
    },
  },
  {
    name: "compares bodies byte by byte",
    section,
    expected: ["idempotency.comparison"],
    plant: replaying(async (call, { text }) => {
      const response = await call.send();
      return response.status === 200 && call.text !== text ? refusal(409) : response;
    }),
  },
  {
    name: "takes another body under a known key for the first one",
    section,
    expected: ["idempotency.conflict"],
    plant: replaying(async (call, { response: first }) => {
      const response = await call.send();
      return response.status === 409 ? first.clone() : response;
    }),
  },
  {
    name: "cuts long keys to 200 characters",
    section: "Limits",
    expected: ["idempotency.header.longest"],
    plant: (mock) =>
      tampered(mock, (call) =>
        call.send(
          call.idempotencyKey.length > 200
            ? { headers: { "idempotency-key": `${call.idempotencyKey.slice(0, 199)}y` } }
            : {},
        ),
      ),
  },
  {
    name: "treats an empty key as a key",
    section,
    expected: ["idempotency.header.empty"],
    plant: (mock) => {
      const firsts = new Map<string, Response>();
      return async (resource, init) => {
        const isEmpty = new Request(resource, init).headers.get("idempotency-key") === "";
        const fetch = tampered(mock, async (call) => {
          const first = firsts.get(call.token);
          if (isEmpty && first !== undefined) return first.clone();
          const response = await call.send();
          if (isEmpty) firsts.set(call.token, response.clone());
          return response;
        });
        return fetch(resource, init);
      };
    },
  },
  {
    name: "shares idempotency keys between API keys",
    section,
    expected: ["idempotency.scope"],
    plant: (mock) => {
      const firsts = new Map<string, First>();
      return tampered(mock, async (call) => {
        const { idempotencyKey, token, text } = call;
        const first = firsts.get(idempotencyKey);
        if (submits(call) && first !== undefined && first.token !== token) {
          return first.response.clone();
        }
        const response = await call.send();
        if (submits(call) && idempotencyKey !== "" && response.status === 200) {
          firsts.set(idempotencyKey, { token, text, response: response.clone() });
        }
        return response;
      });
    },
  },
  {
    name: "stores the key of a refused submission",
    section,
    expected: ["idempotency.refused"],
    plant: (mock) => {
      const refused = new Set<string>();
      return tampered(mock, async (call) => {
        const name = `${call.token} ${call.idempotencyKey}`;
        if (submits(call) && refused.has(name)) return refusal(409);
        const response = await call.send();
        if (submits(call) && call.idempotencyKey !== "" && response.status === 400) {
          refused.add(name);
        }
        return response;
      });
    },
  },
  {
    name: "never forgets an idempotency key",
    section: "Limits",
    expected: ["idempotency.retention"],
    plant: replaying(async (call, first) => {
      const response = await call.send();
      const [known, answered] = [await fieldsIn(first.response), await fieldsIn(response)];
      const anew = response.status === 200 && known["job_id"] !== answered["job_id"];
      return anew ? first.response.clone() : response;
    }),
  },
];
