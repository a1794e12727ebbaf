import type { Key, KeyName } from "../check-context.ts";
import { fieldsOf, type Fields } from "../wire/response.ts";
import type { Redactor } from "../wire/redactor.ts";
import { NoResponse, type Send } from "../wire/send.ts";
import { keyMaker, type KeyMaker } from "./keys.ts";

/** The control API of a reference server. */
export interface Control {
  /** Calls `/__mock/<path>`. */
  readonly post: (path: string, body?: Fields) => Promise<Fields>;
  readonly get: (path: string) => Promise<Fields>;
  readonly remove: (path: string) => Promise<Fields>;
  readonly makeKey: KeyMaker;
}

/** The control API of the deployment, or undefined where there is none, or none for this caller. */
export async function findControl(
  send: Send,
  {
    given,
    redactor,
    signal,
  }: {
    readonly given: Readonly<Partial<Record<KeyName, Key>>>;
    readonly redactor: Redactor;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Control | undefined> {
  const call = async (method: string, path: string, body?: Fields): Promise<Fields> => {
    const answer = await send({
      method,
      path: `/__mock/${path}`,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status !== 200) {
      const detail = fieldsOf(answer.json)["detail"];
      throw new Error(`${method} /__mock/${path} answered ${answer.status}: ${String(detail)}`);
    }
    return fieldsOf(answer.json);
  };
  const answer = await send({ method: "GET", path: "/__mock/options", signal }).catch(refused);
  signal?.throwIfAborted();
  if (answer === undefined) return undefined;
  const found = answer.status === 200 && fieldsOf(answer.json)["options"] !== undefined;
  if (!found || answer.headers.get("x-mock") === null) return undefined;
  const post: Control["post"] = (path, body) => call("POST", path, body);
  return {
    post,
    get: (path) => call("GET", path),
    remove: (path) => call("DELETE", path),
    makeKey: keyMaker(post, given, redactor),
  };
}

/** What guards a deployment may break a connection that asks for an address like this one. */
function refused(error: unknown): undefined {
  if (!(error instanceof NoResponse)) throw error;
}
