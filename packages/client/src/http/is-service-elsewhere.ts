import { AttemptLog } from "./attempt-log.ts";
import { rowOf } from "./outcome-table.ts";
import { sendWithRetries, type IsServiceElsewhere } from "./send-with-retries.ts";

/**
 * Returns true if a free request shows that the service does not respond at the base URL: for example, the base URL is that of
 * a shop. Then a submission made no job, whatever its response.
 */
export const isServiceElsewhere: IsServiceElsewhere = async (http, deadline) => {
  const config = { ...http.config, retries: 0, onRateLimit: "throw" } as const;
  const request = {
    method: "GET",
    url: `${config.baseUrl}/api/v1/account`,
    headers: { Accept: "application/json" },
    timeout: config.attemptTimeout,
  };
  const attemptLog = new AttemptLog();
  const call = { name: "GET /api/v1/account", purpose: "read", deadline, attemptLog } as const;
  // Rejects if the caller aborts, or a middleware refuses the request.
  const outcome = await sendWithRetries({ ...http, config }, request, call).catch(() =>
    deadline.throwIfAborted(),
  );
  if (!outcome) return false;
  const { response } = outcome;
  const isHtml = response?.response.ok && /^\s*</.test(response.text);
  return isHtml || rowOf(outcome).next === "identify";
};
