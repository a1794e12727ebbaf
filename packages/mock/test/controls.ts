/** Returns requests to the control API through any fetch, each with its status and body. */
export function controls(fetch: typeof globalThis.fetch, baseUrl: string) {
  const send = async (method: string, path: string, fields?: unknown) => {
    const init = fields === undefined ? { method } : { method, body: JSON.stringify(fields) };
    const response = await fetch(`${baseUrl}/__mock/${path}`, init);
    // Every response of the control API is a JSON object.
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, body };
  };
  return {
    get: (path: string) => send("GET", path),
    post: (path: string, fields?: unknown) => send("POST", path, fields),
    remove: (path: string) => send("DELETE", path),
  };
}
