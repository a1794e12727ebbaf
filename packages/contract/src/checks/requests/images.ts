import type { Check } from "../../check.ts";
import { need } from "../../outcome.ts";
import { images, samples } from "../../images.ts";
import { LargeText } from "../../wire/large-text.ts";
import type { Fields } from "../../wire/response.ts";
import { checkRows } from "../expectations.ts";
import {
  badInput,
  findImageUrl,
  imageUrlCredits,
  mustRespondWith,
  noGarment,
  noPerson,
  submissionChecks,
  unreachable,
} from "./check-rows.ts";

const { person, garment } = images;
const notBase64 = "this is no base64 $$$";
const notImage = Buffer.from("no image".padEnd(64, ".")).toString("base64");
const dataPrefix = "data:image/png;base64,";
const fourUrls = [0, 1, 2, 3].map((index) => `https://example.com/${index}.png`);

const maxCharacters = 14_000_000;

const withUrl = {
  person_url: (url: string): Fields => ({ ...noPerson, person_url: url }),
  garment_urls: (url: string): Fields => ({ ...noGarment, garment_urls: [url] }),
  webhook_url: (url: string): Fields => ({ webhook_url: url }),
};

/** Private hosts that the service blocks even where development allows loopback. */
const privateHosts = ["10.0.0.1", "169.254.169.254", "[fd00::1]", "0x0a000001"];

export const imageChecks: readonly Check[] = [
  ...submissionChecks({
    "garments.one-to-three": {
      title: "Takes a person with one, two and three garments",
      rules: ["service.try-on.input"],
      taken: [1, 2, 3].map((count) => ({ garment_images_b64: garments(count) })),
    },
    "garments.images.max": {
      title: "Refuses 4 items in garment_images_b64",
      rules: ["request.garment-images-b64.max-items"],
      refused: [{ garment_images_b64: garments(4) }],
    },
    "garments.urls.max": {
      title: "Refuses 4 items in garment_urls",
      rules: ["request.garment-urls.max-items"],
      // Their host exists, because the service also refuses images that it cannot fetch.
      refused: [{ ...noGarment, garment_urls: fourUrls }],
    },
    "garments.min": {
      title: "Refuses a submission without a garment with 400",
      rules: ["request.garments.at-least-one"],
      statuses: [400],
      refused: [noGarment, { garment_images_b64: [], garment_urls: [] }],
    },
    "garments.mixed.taken": {
      title: "Takes garments by URL and by bytes in one submission",
      rules: ["request.garments.at-most-three"],
      taken: (url) => [{ garment_urls: [url], garment_images_b64: garments(2) }],
    },
    "garments.mixed.max": {
      title: "Refuses more than 3 garments by URL and by bytes together",
      rules: ["request.garments.at-most-three"],
      refused: (url) => [{ garment_urls: [url, url], garment_images_b64: garments(2) }],
    },
    "person.required": {
      title: "Refuses a submission without a person with 400",
      rules: ["request.person.required"],
      statuses: [400],
      refused: [noPerson, { person_image_b64: "", person_url: null }],
    },
    "person.base64-wins": {
      title: "Prefers person_image_b64 to person_url",
      rules: ["request.person.base64-wins"],
      taken: [{ person_url: unreachable }],
    },
    "images.person.base64": {
      title: "Refuses a person_image_b64 that is not the base64 of an image",
      rules: ["request.person-image-b64.base64"],
      refused: [{ person_image_b64: notBase64 }, { person_image_b64: notImage }],
    },
    "images.person.no-data-prefix": {
      title: "Refuses a person_image_b64 that begins with data:",
      rules: ["request.person-image-b64.no-data-prefix"],
      refused: [{ person_image_b64: `${dataPrefix}${person}` }],
    },
    "images.garment.base64": {
      title: "Refuses an item of garment_images_b64 that is not the base64 of an image",
      rules: ["request.garment-images-b64.base64"],
      refused: [{ garment_images_b64: [garment, notBase64] }, { garment_images_b64: [notImage] }],
    },
    "images.garment.no-data-prefix": {
      title: "Refuses an item of garment_images_b64 that begins with data:",
      rules: ["request.images.exact-bound-and-kinds"],
      refused: [{ garment_images_b64: [`${dataPrefix}${garment}`] }],
    },
    "images.kinds": {
      title: "Takes images in JPEG, WebP, AVIF and GIF",
      rules: ["request.images.exact-bound-and-kinds"],
      taken: (["jpeg", "webp", "heic", "gif"] as const).map((kind) => ({
        person_image_b64: samples[kind],
      })),
    },
  }),
  ...Object.entries(withUrl).flatMap(([field, submission]) => httpsCheck(field, submission)),
  ...submissionChecks({
    "submitted-urls.bad-url": {
      title: "Refuses an invalid URL with 400",
      rules: ["submit.400.bad-url"],
      statuses: [400],
      refused: Object.values(withUrl).map((submission) => submission("not a URL")),
    },
    "submitted-urls.blocked": {
      title: "Refuses URLs of private networks, in every notation, with 400",
      rules: ["submit.blocked-url.which"],
      statuses: [400],
      refused: privateHosts.flatMap((host) => [
        withUrl.person_url(`https://${host}/image.png`),
        withUrl.webhook_url(`https://${host}/hook`),
      ]),
    },
    "submitted-urls.fetch-failed": {
      title: "Refuses an image that cannot be fetched with 400",
      rules: ["submit.400.image-fetch-failed"],
      statuses: [400],
      refused: [withUrl.person_url(unreachable), withUrl.garment_urls(unreachable)],
    },
  }),
  ...aliasChecks(
    "person_url",
    ["person", "model_url", "input_url"],
    (urls) => ({ ...noPerson, ...urls }),
    [null, ""],
  ),
  ...aliasChecks(
    "garment_urls",
    ["garments", "clothing", "items"],
    (urls) => ({
      ...noGarment,
      ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, [url]])),
    }),
    [[]],
  ),
];

export const largeImageChecks = checkRows("full", 8, {
  "large.person": {
    credits: 16,
    title: "Takes 14000000 characters in person_image_b64, and refuses more",
    rules: ["request.person-image-b64.max-length"],
    async run(session) {
      const image = padded(person, (maxCharacters * 3) / 4);
      await mustRespondWith(session, 200, { person_image_b64: image });
      await mustRespondWith(session, badInput, {
        person_image_b64: new LargeText(...image.parts, "AAAA"),
      });
    },
  },
  "large.garment.taken": {
    // Gateways often have a limit of 1 MiB, which every user must find.
    level: "safe",
    title: "Takes a garment of 10 MB",
    rules: ["request.garment-images-b64.decoded-size"],
    run: (session) =>
      mustRespondWith(session, 200, { garment_images_b64: [padded(garment, 10_000_000)] }),
  },
  "large.garment.refused": {
    title: "Refuses a garment of more than about 10 MB with 400",
    rules: ["submit.400.image-too-large", "request.garment-images-b64.decoded-size"],
    run: (session) =>
      mustRespondWith(session, [400], { garment_images_b64: [padded(garment, 12_000_000)] }),
  },
});

function httpsCheck(field: string, submission: (url: string) => Fields): readonly Check[] {
  return checkRows("safe", 24, {
    [`submitted-urls.${field}.https`]: {
      title: `Refuses a URL in ${field} that is not HTTPS`,
      rules: [`request.${field.replaceAll("_", "-")}.https`],
      async run(session) {
        await mustRespondWith(session, badInput, submission("ftp://example.com/image.png"));
        // No service listens on this port, so that nothing is sent.
        const loopback = await session.http.submit(submission("https://127.0.0.1:9/image.png"));
        const isAllowed = loopback.status === 200;
        need(!isAllowed, `The deployment allows loopback in ${field}, and with it http.`);
        await mustRespondWith(session, badInput, submission("http://example.com/image.png"));
      },
    },
  });
}

/**
 * Makes the checks of the other names of a field that holds URLs.
 *
 * @param submission returns a submission whose images all come from the URLs of these fields.
 * @param empty values of the field without a URL.
 */
function aliasChecks(
  field: string,
  others: readonly [string, ...string[]],
  submission: (urls: Readonly<Record<string, string>>) => Fields,
  empty: readonly unknown[],
): readonly Check[] {
  const id = field.replaceAll("_", "-");
  const [first, ...later] = others;
  const unreachableLater = Object.fromEntries(later.map((name) => [name, unreachable]));
  return [
    ...submissionChecks({
      [`aliases.${id}.read`]: {
        title: `Takes ${others.join(", ")} for ${field}`,
        rules: [`request.${id}.aliases`],
        taken: (url) => others.map((name) => submission({ [name]: url })),
      },
      [`aliases.${id}.precedence`]: {
        title: `Prefers the first of other names of ${field}, and ignores empty values`,
        rules: ["request.aliases.precedence"],
        taken: (url) => [
          submission({ [first]: url, ...unreachableLater }),
          ...empty.map((value) => ({ ...submission({ [first]: url }), [field]: value })),
        ],
      },
    }),
    ...checkRows("safe", imageUrlCredits + 24, {
      [`aliases.${id}.canonical-first`]: {
        title: `Reads other names of ${field} only where it is empty`,
        rules: [`request.${id}.aliases`],
        async run(session) {
          const url = await findImageUrl(session);
          const both = submission({ [field]: url, [first]: unreachable });
          await mustRespondWith(session, 200, both);
          const alone = await session.http.submit(submission({ [field]: unreachable }));
          need(alone.status !== 200, "The deployment takes URLs that it cannot fetch.");
          const swapped = submission({ [field]: unreachable, [first]: url });
          await mustRespondWith(session, badInput, swapped);
        },
      },
    }),
  ];
}

function garments(count: number): readonly string[] {
  return Array.from({ length: count }, () => garment);
}

/** Adds bytes after the end of an image, which decoders ignore. */
function padded(base64: string, bytes: number): LargeText {
  const image = Buffer.from(base64, "base64");
  const padding = Buffer.alloc((-image.length % 3) + 3);
  const start = Buffer.concat([image, padding]);
  const zeros = bytes - start.length;
  const { parts } = LargeText.repeat("A", Math.floor(zeros / 3) * 4);
  const end = Buffer.alloc(zeros % 3).toString("base64");
  return new LargeText(start.toString("base64"), ...parts, end);
}
