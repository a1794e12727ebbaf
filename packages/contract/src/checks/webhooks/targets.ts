import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";

const privateTargets = [
  "https://10.1.2.3/hook",
  "https://169.254.169.254/hook",
  "https://[fd00::1]/hook",
];

/** Where the service does not send webhooks to. */
export const targetChecks: readonly Check[] = [
  {
    id: "webhooks.target.private",
    title: "A webhook_url in a private network is a 400",
    rules: ["submit.blocked-url.which", "request.webhook-url.https"],
    level: "safe",
    on: "any",
    credits: 24,
    async run(session) {
      for (const url of privateTargets) {
        const answer = await session.submit({ webhook_url: url });
        must(
          answer.status === 400,
          `webhook_url ${url} was answered ${answer.status}, and not 400.`,
          answer,
        );
      }
    },
  },
  {
    id: "webhooks.target.not-https",
    title: "A webhook_url on the service's own machine, or without TLS, is a 400",
    rules: ["submit.blocked-url.which", "request.webhook-url.https"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const loopback = await session.submit({ webhook_url: "https://127.0.0.1:9/hook" });
      // The kit's own address is of that kind when nobody gave it a public one.
      const near = session.bench.receiver !== undefined && !session.hook().url.startsWith("https:");
      if (loopback.status === 200 && near) {
        throw new SkipCheck(
          "This deployment lets webhooks go to its own machine, as one for tests may.",
        );
      }
      must(
        loopback.status === 400,
        `webhook_url with a loopback address was answered ${loopback.status}, and not 400.`,
        loopback,
      );
      const plain = await session.submit({ webhook_url: "http://shop.example/hook" });
      must(
        plain.status === 400,
        `webhook_url without TLS was answered ${plain.status}, and not 400.`,
        plain,
      );
    },
  },
];
