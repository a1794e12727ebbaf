/** Returns true for a host name of this machine, as `URL` writes it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])\.?$/.test(hostname);
}

/** Returns a base URL without the path of the API that requests add to it, or undefined if it does not end in that path. */
export function withoutApiPath(baseUrl: string): string | undefined {
  return /^(.*?)\/api\/v1(?:\/tryon)?\/*$/.exec(baseUrl)?.[1];
}

/** Returns true if keys, secrets and photos may be sent to a URL: https, or http to this machine. */
export function mayReceiveKeys({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
