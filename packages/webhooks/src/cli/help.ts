import { serviceTimeout, type Verb } from "./arguments.ts";
import { tamperings } from "./tamper.ts";

const secretOptions = `  --secret-file <file|->   a file with the secret, also several times; a line break at its end is left out
  --secret <text>          the secret itself, also several times: other users of the machine can read it
                           in the list of processes, and the shell keeps it
                           Without either: the variable TRYON_WEBHOOK_SECRET.
  --json                   print JSON, one object a line`;

const deliveryOptions = `  --body <file|->          the body, byte for byte; - is stdin
  --header <"Name: value"> a header, also several times
  --headers <file|->       a file of such lines, or JSON
  --request <file|->       in their place a whole HTTP/1.1 request: request line, headers, blank line, body
${secretOptions}`;

const overview = `tryon-webhooks   verifies, explains, signs and sends webhooks of the virtual try-on service

  tryon-webhooks verify  --body <file|-> --header "X-Service-Signature: …"   is it right?
  tryon-webhooks explain --body <file|-> --header "X-Service-Signature: …"   why is it not?
  tryon-webhooks sign    --body <file|->                                     prints the signature
  tryon-webhooks send    --to <url>                                          sends a receiver one event
  tryon-webhooks help verify|explain|sign|send                               the options of each
  tryon-webhooks --version

The secret comes from TRYON_WEBHOOK_SECRET or --secret-file, and is never printed.
Exit codes: 0 when all is right, 1 when it is not, 2 when the command line cannot be understood.
`;

const pages: Readonly<Record<Verb, string>> = {
  verify: `tryon-webhooks verify --body <file|-> --header <line> [options]   verifies a delivery that was kept

Prints ok and the event and ends with 0, or prints code and message and ends with 1.

${deliveryOptions}
`,
  explain: `tryon-webhooks explain --body <file|-> --header <line> [options]   says why a delivery is refused

Tries what commonly goes wrong with secret, body and signature, also two of it at once, and names what
fits. For your eyes only: what it prints would help a forger. Ends with 0 when the delivery is right.

${deliveryOptions}
  --other-secret-file <file|->   a secret that should not fit, such as another key's; also several times
`,
  sign: `tryon-webhooks sign --body <file|-> [options]   prints the value of X-Service-Signature

  --body <file|->          the body, byte for byte; - is stdin
${secretOptions}
`,
  send: `tryon-webhooks send --to <url> [options]   signs an event and sends it to a receiver

Prints the answer, and what the service would do about it. Ends with 0 when the receiver answers with
2xx, or where --break is given with 4xx other than 404 and 405. Redirects are not followed.

  --to <url>               the receiver's address: on this machine, or https
  --allow-http             let --to be on another machine without https
  --status <word>          succeeded or failed (default succeeded)
  --job-id <id>            the job (default another one each time)
  --event <kind>           the kind of event (default tryon.completed)
  --body <file|->          in place of those three all of the body
  --repeat <number>        send the same so many times, one after the other (default 1)
  --break <what>           make one thing wrong that a receiver has to refuse:
                           ${tamperings.join(", ")}
  --timeout <ms>           how long an answer may take (default ${serviceTimeout}, as the service gives it)
${secretOptions}
`,
};

/** What help says: of one command, or which there are. */
export function help(verb: Verb | undefined): string {
  return verb === undefined ? overview : pages[verb];
}
