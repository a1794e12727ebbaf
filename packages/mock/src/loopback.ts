/** If true, the host name or IP is a loopback one, which only this machine can have. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|\[?::1\]?|::ffff:127\.[\d.]+)$/i.test(host);
}
