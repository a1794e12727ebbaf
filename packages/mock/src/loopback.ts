/** If true, the host name or IP address is this machine's own and no other machine can have it. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[?::1\]?|::ffff:127\.[\d.]+)$/i.test(host);
}
