import type { Check } from "../../check.ts";
import { SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { images } from "../../images.ts";
import type { Fields } from "../../wire/response.ts";
import { checkGroup } from "../expectations.ts";
import {
  findImageUrl,
  imageUrlCredits,
  mustRefuse,
  mustTake,
  submissionCheck,
  unreachable,
  type SubmissionRow,
} from "./check-rows.ts";
import { imageKinds } from "./image-kinds.ts";

const { person, garment } = images;
const noPerson = { person_image_b64: undefined };
const noGarment = { garment_images_b64: undefined };
const notBase64 = "this is no base64 $$$";
const notImage = Buffer.from("no image".padEnd(64, ".")).toString("base64");
const dataPrefix = "data:image/png;base64,";
const fourUrls = [0, 1, 2, 3].map((index) => `https://example.com/${index}.png`);

/** Maximum length of `person_image_b64`. */
const maxCharacters = 14_000_000;

const imageRows: readonly SubmissionRow[] = [
  {
    id: "garments.one-to-three",
    title: "Takes a person with one, two and three garments",
    rules: ["service.try-on.input"],
    taken: [1, 2, 3].map((count) => ({ garment_images_b64: garments(count) })),
  },
  {
    id: "garments.images.max",
    title: "Refuses 4 items in garment_images_b64",
    rules: ["request.garment-images-b64.max-items"],
    refused: [{ garment_images_b64: garments(4) }],
  },
  {
    id: "garments.urls.max",
    title: "Refuses 4 items in garment_urls",
    rules: ["request.garment-urls.max-items"],
    // Their host exists, because the service also refuses images that it cannot fetch.
    refused: [{ ...noGarment, garment_urls: fourUrls }],
  },
  {
    id: "garments.min",
    title: "Refuses a submission without a garment with 400",
    rules: ["request.garments.at-least-one"],
    statuses: [400],
    refused: [noGarment, { garment_images_b64: [], garment_urls: [] }],
  },
  {
    id: "garments.mixed.taken",
    title: "Takes garments by URL and by bytes in one submission",
    rules: ["request.garments.at-most-three"],
    taken: (url) => [{ garment_urls: [url], garment_images_b64: garments(2) }],
  },
  {
    id: "garments.mixed.max",
    title: "Refuses more than 3 garments by URL and by bytes together",
    rules: ["request.garments.at-most-three"],
    refused: (url) => [{ garment_urls: [url, url], garment_images_b64: garments(2) }],
  },
  {
    id: "person.required",
    title: "Refuses a submission without a person with 400",
    rules: ["request.person.required"],
    statuses: [400],
    refused: [noPerson, { person_image_b64: "", person_url: null }],
  },
  {
    id: "person.base64-wins",
    title: "Prefers person_image_b64 to person_url",
    rules: ["request.person.base64-wins"],
    taken: [{ person_url: unreachable }],
  },
  {
    id: "images.person.base64",
    title: "Refuses a person_image_b64 that is not the base64 of an image",
    rules: ["request.person-image-b64.base64"],
    refused: [{ person_image_b64: notBase64 }, { person_image_b64: notImage }],
  },
  {
    id: "images.person.no-data-prefix",
    title: "Refuses a person_image_b64 that begins with data:",
    rules: ["request.person-image-b64.no-data-prefix"],
    refused: [{ person_image_b64: `${dataPrefix}${person}` }],
  },
  {
    id: "images.garment.base64",
    title: "Refuses an item of garment_images_b64 that is not the base64 of an image",
    rules: ["request.garment-images-b64.base64"],
    refused: [{ garment_images_b64: [garment, notBase64] }, { garment_images_b64: [notImage] }],
  },
  {
    id: "images.garment.no-data-prefix",
    title: "Refuses an item of garment_images_b64 that begins with data:",
    rules: ["request.images.exact-bound-and-kinds"],
    refused: [{ garment_images_b64: [`${dataPrefix}${garment}`] }],
  },
  {
    id: "images.kinds",
    title: "Takes images in JPEG, WebP, AVIF and GIF",
    rules: ["request.images.exact-bound-and-kinds"],
    taken: Object.values(imageKinds).map((image) => ({ person_image_b64: image })),
  },
];

/** Submissions in which the URL of a field counts. */
const withUrl = {
  person_url: (url: string): Fields => ({ ...noPerson, person_url: url }),
  garment_urls: (url: string): Fields => ({ ...noGarment, garment_urls: [url] }),
  webhook_url: (url: string): Fields => ({ webhook_url: url }),
};

/** Private hosts that the service blocks even where development allows loopback. */
const privateHosts = ["10.0.0.1", "169.254.169.254", "[fd00::1]", "0x0a000001"];

const httpsChecks = checkGroup(
  { level: "safe", on: "any", credits: 24 },
  Object.entries(withUrl).map(([field, submission]) => ({
    id: `submitted-urls.${field}.https`,
    title: `Refuses a URL in ${field} that is not HTTPS`,
    rules: [`request.${field.replaceAll("_", "-")}.https`],
    async run(session) {
      await mustRefuse(session, submission("ftp://example.com/image.png"));
      // No service listens on this port, so that nothing is sent.
      const loopback = await session.submit(submission("https://127.0.0.1:9/image.png"));
      if (loopback.status === 200) {
        throw new SkipCheck(`The deployment allows loopback in ${field}, and with it http.`);
      }
      await mustRefuse(session, submission("http://example.com/image.png"));
    },
  })),
);

const urlRows: readonly SubmissionRow[] = [
  {
    id: "submitted-urls.bad-url",
    title: "Refuses an invalid URL with 400",
    rules: ["submit.400.bad-url"],
    statuses: [400],
    refused: Object.values(withUrl).map((submission) => submission("not a URL")),
  },
  {
    id: "submitted-urls.blocked",
    title: "Refuses URLs of private networks, in every notation, with 400",
    rules: ["submit.blocked-url.which", "submit.400.bad-url"],
    statuses: [400],
    refused: [
      ...privateHosts.map((host) => withUrl.person_url(`https://${host}/image.png`)),
      withUrl.webhook_url("https://10.0.0.1/hook"),
    ],
  },
  {
    id: "submitted-urls.fetch-failed",
    title: "Refuses an image that cannot be fetched with 400",
    rules: ["submit.400.image-fetch-failed"],
    statuses: [400],
    refused: [withUrl.person_url(unreachable), withUrl.garment_urls(unreachable)],
  },
];

/** Other names of a field that holds URLs. */
interface Alias {
  readonly field: string;
  readonly others: readonly [string, ...string[]];
  /** Submission whose images all come from the URLs of these fields. */
  readonly submission: (urls: Readonly<Record<string, string>>) => Fields;
  readonly empty: readonly unknown[];
}

const aliases: readonly Alias[] = [
  {
    field: "person_url",
    others: ["person", "model_url", "input_url"],
    submission: (urls) => ({ ...noPerson, ...urls }),
    empty: [null, ""],
  },
  {
    field: "garment_urls",
    others: ["garments", "clothing", "items"],
    submission: (urls) => ({
      ...noGarment,
      ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, [url]])),
    }),
    empty: [[]],
  },
];

const aliasChecks = aliases.flatMap((alias): readonly Check[] => {
  const { field, others, submission, empty } = alias;
  const id = field.replaceAll("_", "-");
  const [first, ...later] = others;
  const unreachableLater = Object.fromEntries(later.map((name) => [name, unreachable]));
  return [
    submissionCheck({
      id: `aliases.${id}.read`,
      title: `Takes ${others.join(", ")} for ${field}`,
      rules: [`request.${id}.aliases`],
      taken: (url) => others.map((name) => submission({ [name]: url })),
    }),
    {
      id: `aliases.${id}.canonical-first`,
      title: `Reads other names of ${field} only where it is empty`,
      rules: [`request.${id}.aliases`],
      level: "safe",
      on: "any",
      credits: imageUrlCredits + 24,
      run: (session) => canonicalFirst(session, alias),
    },
    submissionCheck({
      id: `aliases.${id}.precedence`,
      title: `Prefers the first of other names of ${field}, and ignores empty values`,
      rules: ["request.aliases.precedence"],
      taken: (url) => [
        submission({ [first]: url, ...unreachableLater }),
        ...empty.map((value) => ({ ...submission({ [first]: url }), [field]: value })),
      ],
    }),
  ];
});

/** Images near the maximum size, which take long to send. */
export const largeImageChecks = checkGroup({ level: "full", on: "any", credits: 8 }, [
  {
    credits: 16,
    id: "large.person",
    title: "Takes 14000000 characters in person_image_b64, and refuses more",
    rules: ["request.person-image-b64.max-length"],
    async run(session) {
      const image = padded(person, (maxCharacters * 3) / 4);
      await mustTake(session, { person_image_b64: image });
      await mustRefuse(session, { person_image_b64: `${image}AAAA` });
    },
  },
  {
    id: "large.garment.taken",
    title: "Takes a garment of 10 MB",
    rules: ["request.garment-images-b64.decoded-size"],
    async run(session) {
      await mustTake(session, { garment_images_b64: [padded(garment, 10_000_000)] });
    },
  },
  {
    id: "large.garment.refused",
    title: "Refuses a garment of more than about 10 MB with 400",
    rules: ["submit.400.image-too-large", "request.garment-images-b64.decoded-size"],
    async run(session) {
      await mustRefuse(session, { garment_images_b64: [padded(garment, 11_000_000)] }, [400]);
    },
  },
]);

/** Images and URLs of submissions. */
export const imageChecks: readonly Check[] = [
  ...imageRows.map(submissionCheck),
  ...httpsChecks,
  ...urlRows.map(submissionCheck),
  ...aliasChecks,
];

async function canonicalFirst(session: Session, { field, others, submission }: Alias) {
  const url = await findImageUrl(session);
  const [other] = others;
  await mustTake(session, submission({ [field]: url, [other]: unreachable }));
  const alone = await session.submit(submission({ [field]: unreachable }));
  if (alone.status === 200) throw new SkipCheck("The deployment takes URLs that it cannot fetch.");
  await mustRefuse(session, submission({ [field]: unreachable, [other]: url }));
}

function garments(count: number): readonly string[] {
  return Array.from({ length: count }, () => garment);
}

/** Adds bytes after the end of an image, which decoders ignore. */
function padded(base64: string, bytes: number): string {
  const whole = Buffer.alloc(bytes);
  Buffer.from(base64, "base64").copy(whole);
  return whole.toString("base64");
}
