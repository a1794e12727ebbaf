export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && `${search}${hash}${username}${password}` === "";
}

/** Returns true for a path with exactly one leading slash and without control characters. */
export function isPath(text: string): boolean {
  return /^\/(?![/\\])\P{Cc}*$/u.test(text);
}

/**
 * Returns the URL of a path and query below a base URL, or undefined for a path that leaves it, also when a server decodes
 * it once more. All requests are joined here, so that no path of a file, a response or a client sends a key elsewhere.
 */
export function urlBelow(baseUrl: string, path: string): URL | undefined {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  const joined = (form: string): URL | undefined => {
    const text = `${origin}${prefix}${form}`;
    const url = isPath(form) && URL.canParse(text) ? new URL(text) : undefined;
    return url?.origin === origin && url.pathname.startsWith(`${prefix}/`) ? url : undefined;
  };
  const [start = ""] = path.split("?");
  const once = decoded(start);
  return joined(decoded(once)) && joined(once) && joined(path);
}

export function decoded(text: string): string {
  return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
