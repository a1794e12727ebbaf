/** Says what is the receiver's own to mend where its operator looks, for those who pass no `onError`. */
export function logOwnFaults(error: unknown, status: number): void {
  if (status !== 500 && status !== 202) return;
  // oxlint-disable-next-line no-console
  console.error("@tryon/webhooks: an event was not handled.", error);
}
