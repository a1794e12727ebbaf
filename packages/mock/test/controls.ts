/** Returns requests to the control API through any fetch, each with its status and body. In process they need no token. */
export function controls(fetch: typeof globalThis.fetch, baseUrl: string, token = "") {
  const headers = { authorization: `Bearer ${token}` };
  const send = async (method: string, path: string, fields?: unknown) => {
    const body = fields === undefined ? {} : { body: JSON.stringify(fields) };
    const response = await fetch(`${baseUrl}/__mock/${path}`, { method, headers, ...body });
    // Every response of the control API is a JSON object.
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, body: answer };
  };
  return {
    get: (path: string) => send("GET", path),
    post: (path: string, fields?: unknown) => send("POST", path, fields),
    remove: (path: string) => send("DELETE", path),
  };
}
