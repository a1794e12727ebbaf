/** Returns true for a host name of this machine, as `URL` writes it. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])\.?$/.test(hostname);
}

/** Returns true if keys, secrets and photos may be sent to a URL: https, or http to this machine. */
export function mayReceiveKeys({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
