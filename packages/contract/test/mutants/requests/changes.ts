import type { Fields } from "../../../src/wire/response.ts";
import { mutated, type MutatedRequest, type Tamper } from "../mutated-responses.ts";
import type { Mutant } from "../mutant.ts";

/** Handles every request. */
export function handled(tamper: Tamper): Mutant["plant"] {
  return mutated(() => tamper);
}

/** Replaces responses, unless `change` returns undefined. */
export function responses(
  change: (
    response: Response,
    request: MutatedRequest,
  ) => Response | Promise<Response | undefined> | undefined,
): Mutant["plant"] {
  return handled(async (request) => {
    const response = await request.send();
    return (await change(response, request)) ?? response;
  });
}

/** Changes fields of JSON requests to an endpoint. A field that is undefined is removed. */
export function changedBody(endpoint: string, change: (fields: Fields) => Fields): Mutant["plant"] {
  return handled((request) => {
    const { body, send } = request;
    // Other bodies than JSON objects have no fields.
    const changes = isFor(request, endpoint) && Object.keys(body).length > 0;
    return changes ? send({ body: { ...body, ...change(body) } }) : send();
  });
}

/** Changes fields of submissions. */
export function changedSubmission(change: (fields: Fields) => Fields): Mutant["plant"] {
  return changedBody("POST /api/v1/tryon", change);
}

/** If true, a request has this method and path. */
export function isFor({ method, path }: MutatedRequest, endpoint: string): boolean {
  return `${method} ${path}` === endpoint;
}
