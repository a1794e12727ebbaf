import { isWebhookError, type WebhookErrorCode } from "../webhook-error.ts";
import type { CompleteClock } from "@tryon/shared/clock";

const reportInterval = 60_000;

/** Codes that a wrong setup causes at every delivery, with their status: anyone can cause the first two. */
const reportedStatuses: Partial<Record<WebhookErrorCode, number>> = {
  missing_signature: 400,
  signature_mismatch: 400,
  invalid_secret: 500,
};

/**
 * Creates the `onError` of receivers that have none. It logs each event that was not handled, and
 * reports refusals that a wrong setup causes: at once, then at most once a minute with their number.
 */
export function createErrorLog(
  clock: Pick<CompleteClock, "monotonic">,
): (error: unknown, status: number) => void {
  const reports = new Map<WebhookErrorCode, { count: number; reportedAt: number }>();
  return (error, status) => {
    if (isWebhookError(error) && reportedStatuses[error.code] === status) {
      // Without its cause, which comes from the code that reads the secret and may contain it.
      const { code, message } = error;
      const report = reports.get(code);
      const count = (report?.count ?? 0) + 1;
      if (report !== undefined && clock.monotonic() - report.reportedAt < reportInterval) {
        report.count = count;
        return;
      }
      reports.set(code, { count: 0, reportedAt: clock.monotonic() });
      const number = report === undefined ? "" : ` (${count} since the last report)`;
      // oxlint-disable-next-line no-console
      console.warn(
        `@tryon/webhooks: ${code}${number}. ${message} To find the cause: npx tryon-webhooks explain. Set \`onError\` to receive each error, or to silence this report.`,
      );
      return;
    }
    if (status !== 500 && status !== 202) return;
    // oxlint-disable-next-line no-console
    console.error("@tryon/webhooks: an event was not handled.", error);
  };
}
