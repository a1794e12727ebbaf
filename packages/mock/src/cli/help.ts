import { profileNames } from "../options.ts";
import { defaultPort, type Verb } from "./arguments.ts";

const serverOptions = `  --host <address>      address to listen on (default 127.0.0.1)
  --latency <time>      how long the model takes: milliseconds, or 500ms, 1.5s, 2m (default 1.5s)
  --seed <text>         fixes ids and signatures (default another one at each start)
  --profile <name>      ${profileNames.join(" or ")} (default default), or the file of a profile
                        that tryon-contract has written
  --config <file>       JSON file with profile, options and settings; flags come before it
  --engine <name>       stock: drawn pictures; composite: your own pictures, needs sharp (default stock)
  --cors-origin <url>   let pages of this origin call the server, besides those of localhost and
                        127.0.0.1; repeat it for several, "*" is every page
  --open-control        let other machines call the control API under /__mock/ too`;

const serveOptions = `  --port <number>       port to listen on, 0 for a free one (default ${defaultPort})
${serverOptions}
  --print-env           print NAME=value lines for the client on stdout
  --quiet               print only where the server listens`;

const overview = `tryon-mock   the reference server of the virtual try-on service

  tryon-mock [serve] [options]                    serves until it is stopped
  tryon-mock exec [options] -- <command> [args]   runs a command beside a server of its own
  tryon-mock trigger tryon.completed --to <url>   sends one signed event to a receiver
  tryon-mock help serve|exec|trigger              the options of each
  tryon-mock --version

Options of serve:
${serveOptions}

Keys: svc_live_mock (1,000 credits), svc_test_mock, svc_live_empty, svc_live_limited (5 a minute),
      svc_live_disabled and svc_live_flagged (403). Webhook secret: whsec_mock.
`;

const pages: Readonly<Record<Verb, string>> = {
  serve: `tryon-mock [serve] [options]   serves until SIGINT, SIGTERM or SIGHUP

${serveOptions}
`,
  exec: `tryon-mock exec [options] -- <command> [args]   runs a command beside a server of its own

The command finds the server in TRYON_BASE_URL, TRYON_API_KEY and TRYON_WEBHOOK_SECRET, and has the
terminal to itself. When it ends the server ends, and so do processes that it started in the
background; the exit code is the command's, or 128 and the signal's number, 127 when there is no such
command, 126 when it may not be run. SIGINT, SIGTERM and SIGHUP are handed on.

  --port <number>       port to listen on (default a free one)
${serverOptions}
  --quiet               print nothing; otherwise one line on stderr says where the server listens
`,
  trigger: `tryon-mock trigger tryon.completed --to <url> [options]   sends one signed event to a receiver

No server is needed, and the picture that the event names is nowhere. Exit code 0 when the receiver
answers with 2xx, else 1.

  --to <url>               the receiver's address
  --status <word>          succeeded or failed (default succeeded)
  --error-message <text>   why it failed (default content_blocked)
  --job-id <id>            job_ and letters or digits (default another one each time)
  --secret <text>          the webhook secret (default TRYON_WEBHOOK_SECRET, else whsec_mock)
  --timeout <time>         how long the receiver has to answer (default 10s, as the service gives it)
`,
};

/** What help says: of one command, or which there are. */
export function help(verb: Verb | undefined): string {
  return verb === undefined ? overview : pages[verb];
}
