import type { Admitted } from "./admit.ts";
import { errandOf, type Rules } from "./errand.ts";
import type { ProxyError, ProxyUser } from "./options.ts";
import { headersOf, passOn } from "./pass-on.ts";
import { answerJson } from "./refusal.ts";
import { askService } from "./upstream.ts";

/** Does what a request asks for that was let in. */
export async function fulfil<User extends ProxyUser>(
  id: string,
  admitted: Admitted<User>,
  rules: Rules<User>,
  report: (trouble: ProxyError) => void,
): Promise<Response> {
  const { upstream } = rules;
  const errand = await errandOf(id, admitted, rules);
  if (errand instanceof Response) return errand;
  const outcome = await askService(upstream, errand.question);
  const { answer } = outcome;
  const now = upstream.clock.now();
  const good = answer && answer.status >= 200 && answer.status < 300;
  const content = good ? await errand.show(answer.content) : undefined;
  if (answer && content) return answerJson(200, content, headersOf(answer, now));
  const { kind } = admitted.call;
  const { response, trouble } = passOn(outcome, { kind, redact: upstream.redact, now });
  if (trouble !== undefined) {
    report({ message: trouble, user: admitted.userId, status: answer?.status });
  }
  return response;
}
