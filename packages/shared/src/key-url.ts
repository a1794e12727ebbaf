export function isLoopback(host: string): boolean {
  return /^((.+\.)?localhost|127\.[\d.]+|\[?::1]?)\.?$/i.test(host);
}

/** Returns a base URL without the path of the API that requests add to it, or undefined if it does not end in that path. */
export function withoutApiPath(baseUrl: string): string | undefined {
  return /^(.*?)\/api\/v1(?:\/tryon)?\/*$/.exec(baseUrl)?.[1];
}

/** Returns true if keys, secrets and photos may be sent to a URL: https, or http to this machine. */
export function mayReceiveKeys({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
