/** Sends requests to the control API through any fetch, and returns the status and the body. */
export function controls(fetch: typeof globalThis.fetch, baseUrl: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}/__mock/${path}`, init);
    // Every response of the control API is a JSON object.
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, answer };
  };
  return {
    get: (path: string) => call("GET", path),
    post: (path: string, body?: unknown) => call("POST", path, body),
    remove: (path: string) => call("DELETE", path),
  };
}
