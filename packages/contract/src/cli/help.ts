import { exitMeanings } from "./exit-codes.ts";

/** What --help says. */
export function help(): string {
  return `tryon-contract   does this deployment keep the contract of the virtual try-on service?

  npx tryon-contract --base-url https://tryon.example --api-key svc_test_…

Target
  --base-url <url>         the deployment (or TRYON_BASE_URL)
  --api-key <key>          the key to call with (or TRYON_API_KEY); a reference server needs none
  --live-key, --test-key   a key of each kind, when you have both
  --other-key <key>        a key of another account, which must not see the jobs of the first
  --disabled-key <key>     a key that was disabled, which is to be refused
  --flagged-key <key>      a key of an account that was flagged for fraud, which is to be refused

How far
  --level safe             nothing is charged on a test key (the default)
  --level paid             also what only a live key can show
  --level full             also what takes long: the 90 s limit, retries of webhooks, what expires
  --allow-live             use a live key, which costs money
  --max-credits <number>   the most to take from live keys (default 50, none on a local mock)
  --only <beginning>       only checks whose id begins so, such as idempotency; may be repeated
  --real-time              wait for time even where a reference server lets it be moved

Webhooks   (a deployment on this machine reaches the kit without these)
  --webhook-url <url>      a public address that leads to --webhook-port of this machine
  --webhook-port <number>  the port to listen on (default a free one)
  --webhook-secret <text>  the secret that signs the webhooks of the key (or TRYON_WEBHOOK_SECRET)

Result
  --report <form>[=file]   text, junit, json or html; may be repeated (default text)
  --output <file>          where a single --report goes; standard output without it
  --profile <file>         write what was observed, for tryon-mock --profile <file>
  --quiet                  no progress; the text has only what is broken and the verdict
  --help, --version

A report on standard output is alone there; progress goes to standard error. NO_COLOR is honoured.

Exit codes
${exitMeanings.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}
`;
}
