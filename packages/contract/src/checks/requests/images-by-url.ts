import type { Check } from "../../check.ts";
import { SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { Fields } from "../../wire/response.ts";
import { nowhere } from "./image-url.ts";
import { badInput, mustRefuse, submissionCheck } from "./submission-check.ts";

/** A field that holds addresses, with a submission in which it counts. */
interface AddressField {
  readonly field: string;
  readonly httpsRule: string;
  readonly submission: (address: string) => Fields;
}

const person: AddressField = {
  field: "person_url",
  httpsRule: "request.person-url.https",
  submission: (address) => ({ person_image_b64: undefined, person_url: address }),
};
const garments: AddressField = {
  field: "garment_urls",
  httpsRule: "request.garment-urls.https",
  submission: (address) => ({ garment_images_b64: undefined, garment_urls: [address] }),
};
const webhook: AddressField = {
  field: "webhook_url",
  httpsRule: "request.webhook-url.https",
  submission: (address) => ({ webhook_url: address }),
};
const fields = [person, garments, webhook];

/** Hosts that are in nobody's public network, and are blocked where loopback is let in for development, too. */
const privateHosts = ["10.0.0.1", "169.254.169.254", "[fd00::1]", "0x0a000001"];

const httpsChecks = fields.map(({ field, httpsRule, submission }): Check => ({
  id: `addresses-sent.${field}.https`,
  title: `Refuses an address in ${field} that is not HTTPS`,
  rules: [httpsRule],
  level: "safe",
  on: "any",
  credits: 24,
  async run(session) {
    const ftp = submission("ftp://example.com/image.png");
    await mustRefuse(session, `an ftp address in ${field}`, ftp, badInput);
    if (await isForDevelopment(session, submission)) {
      throw new SkipCheck(
        `The deployment lets ${field} lead into its own machine, as for development, where http is taken.`,
      );
    }
    const http = submission("http://example.com/image.png");
    await mustRefuse(session, `an http address in ${field}`, http, badInput);
  },
}));

/** What addresses are gone to. */
export const imagesByUrl: readonly Check[] = [
  ...httpsChecks,
  submissionCheck({
    id: "addresses-sent.bad-url",
    title: "Refuses what is no address with 400",
    rules: ["submit.400.bad-url"],
    statuses: [400],
    refused: fields.map(({ field, submission }) => [
      `"not an address" in ${field}`,
      submission("not an address"),
    ]),
  }),
  submissionCheck({
    id: "addresses-sent.blocked",
    title: "Refuses addresses of private networks, however they are written, with 400",
    rules: ["submit.blocked-url.which", "submit.400.bad-url"],
    statuses: [400],
    refused: [
      ...privateHosts.map((host): readonly [string, Fields] => [
        `${host} in person_url`,
        person.submission(`https://${host}/image.png`),
      ]),
      ["10.0.0.1 in webhook_url", webhook.submission("https://10.0.0.1/hook")],
    ],
  }),
  submissionCheck({
    id: "addresses-sent.fetch-failed",
    title: "Refuses an image that cannot be fetched with 400",
    rules: ["submit.400.image-fetch-failed"],
    statuses: [400],
    refused: [
      ["an address of nothing in person_url", person.submission(nowhere)],
      ["an address of nothing in garment_urls", garments.submission(nowhere)],
    ],
  }),
];

/** Whether an address may lead to the deployment's own machine. Nothing is sent there: the port is that of nothing. */
async function isForDevelopment(
  session: Session,
  submission: (address: string) => Fields,
): Promise<boolean> {
  const answer = await session.submit(submission("https://127.0.0.1:9/image.png"));
  return answer.status === 200;
}
