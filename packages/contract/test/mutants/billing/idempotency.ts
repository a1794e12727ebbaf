import {
  fieldsIn,
  refusal,
  rewritten,
  type Change,
  type MutatedRequest,
  type Upstream,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const withoutKey = { headers: { "idempotency-key": null } };

interface First {
  readonly token: string;
  readonly text: string;
  readonly response: Response;
}

/**
 * Handles repeated submissions, and forwards the first ones.
 *
 * @param nameOf name that submissions under one idempotency key share.
 */
function replaying(
  replay: (request: MutatedRequest, first: First, upstream: Upstream) => Promise<Response>,
  nameOf: (request: MutatedRequest) => string | undefined = ({ token, idempotencyKey = "" }) =>
    idempotencyKey === "" ? undefined : `${token} ${idempotencyKey}`,
): Change {
  return (upstream) => {
    const firsts = new Map<string, First>();
    return async (request) => {
      const name = nameOf(request);
      if (request.kind !== "submit" || name === undefined) return request.send();
      const first = firsts.get(name);
      if (first !== undefined) return replay(request, first, upstream);
      const response = await request.send();
      const { token, text } = request;
      if (response.status === 200) firsts.set(name, { token, text, response: response.clone() });
      return response;
    };
  };
}

export const idempotencyMutants = mutants({
  "idempotency.replay.free: charges a replay a second time": replaying(
    async ({ send, token }, _first, { addCredits }) => {
      const response = await send();
      if (response.status === 200) addCredits(token, -8);
      return response;
    },
  ),
  "idempotency.replay.same-job: makes another job of a retried submission": replaying(
    ({ send, text }, first) => send(text === first.text ? withoutKey : {}),
  ),
  "idempotency.replay.first-response: replays the current status": replaying(
    async ({ send, token }, _first, { mock }) => {
      const response = await send();
      if (response.status !== 200) return response;
      const { job_id: jobId } = await fieldsIn(response);
      const poll = await mock.fetch(`${mock.baseUrl}/api/v1/tryon/${String(jobId)}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { status } = await fieldsIn(poll);
      return rewritten(response, { fields: { status } });
    },
  ),
  "idempotency.replay.no-second-job: makes a second job for a replay": replaying(
    async ({ send, token }) => {
      const response = await send();
      if (token.startsWith("svc_test_") && response.status === 200) await send(withoutKey);
      return response;
    },
  ),
  "idempotency.concurrent.one-job: makes a job of each concurrent submission":
    ({ notes: waiting }) =>
    async ({ kind, body, idempotencyKey = "", send }) => {
      if (kind !== "submit" || idempotencyKey === "" || body["wait"] === true) return send();
      if (waiting.has(idempotencyKey)) return send(withoutKey);
      waiting.add(idempotencyKey);
      try {
        return await send();
      } finally {
        waiting.delete(idempotencyKey);
      }
    },
  "idempotency.comparison: compares bodies byte by byte": replaying(
    async ({ send, text }, first) => {
      const response = await send();
      return response.status === 200 && text !== first.text ? refusal(409) : response;
    },
  ),
  "idempotency.conflict: takes another body under a known key for the first one": replaying(
    async ({ send }, first) => {
      const response = await send();
      return response.status === 409 ? first.response.clone() : response;
    },
  ),
  "idempotency.header.longest: cuts long keys to 200 characters":
    () =>
    ({ idempotencyKey: key = "", send }) =>
      send(key.length > 200 ? { headers: { "idempotency-key": `${key.slice(0, 199)}y` } } : {}),
  "idempotency.header.empty: treats an empty key as a key": replaying(
    async (_request, first) => first.response.clone(),
    ({ token, idempotencyKey }) => (idempotencyKey === "" ? token : undefined),
  ),
  "idempotency.scope: shares idempotency keys between API keys": replaying(
    async ({ send, token }, first) => (token === first.token ? send() : first.response.clone()),
    ({ idempotencyKey }) => (idempotencyKey === "" ? undefined : idempotencyKey),
  ),
  "idempotency.refused: stores the key of a refused submission":
    ({ notes: refused }) =>
    async ({ kind, token, idempotencyKey = "", send }) => {
      const name = `${token} ${idempotencyKey}`;
      if (kind === "submit" && refused.has(name)) return refusal(409);
      const response = await send();
      const isRefused = kind === "submit" && response.status === 400;
      if (isRefused && idempotencyKey !== "") refused.add(name);
      return response;
    },
  "idempotency.retention: never forgets an idempotency key": replaying(async ({ send }, first) => {
    const response = await send();
    const [known, current] = [await fieldsIn(first.response), await fieldsIn(response)];
    const isNew = response.status === 200 && known["job_id"] !== current["job_id"];
    return isNew ? first.response.clone() : response;
  }),
});
