import type { Check } from "../../check.ts";
import { images } from "../../images.ts";
import { imageUrlCredits, nowhere, imageUrl } from "./image-url.ts";
import { mustRefuse, mustTake, submissionCheck } from "./submission-check.ts";

const { garment } = images;
const noPerson = { person_image_b64: undefined };
const noGarment = { garment_images_b64: undefined };

/** Whose image it is to be, and with how many garments. */
export const personAndGarments: readonly Check[] = [
  submissionCheck({
    id: "garments.one-to-three",
    title: "Takes a person with one, two and three garments",
    rules: ["service.try-on.input"],
    taken: [
      ["1 garment", { garment_images_b64: [garment] }],
      ["2 garments", { garment_images_b64: [garment, garment] }],
      ["3 garments", { garment_images_b64: [garment, garment, garment] }],
    ],
  }),
  submissionCheck({
    id: "garments.images.most",
    title: "Refuses 4 items in garment_images_b64",
    rules: ["request.garment-images-b64.max-items"],
    refused: [["4 garments", { garment_images_b64: [garment, garment, garment, garment] }]],
  }),
  submissionCheck({
    id: "garments.urls.most",
    title: "Refuses 4 items in garment_urls",
    rules: ["request.garment-urls.max-items"],
    // What cannot be fetched is refused, too: so they are at hosts that there are.
    refused: [["4 garments by address", { ...noGarment, garment_urls: addresses(4) }]],
  }),
  submissionCheck({
    id: "garments.least",
    title: "Refuses a submission without a garment with 400",
    rules: ["request.garments.at-least-one"],
    statuses: [400],
    refused: [
      ["no garment", noGarment],
      ["empty lists of garments", { garment_images_b64: [], garment_urls: [] }],
    ],
  }),
  {
    id: "garments.mixed.taken",
    title: "Takes garments by address and by bytes in one submission",
    rules: ["request.garments.at-most-three"],
    level: "safe",
    on: "any",
    credits: imageUrlCredits + 8,
    async run(session) {
      const address = await imageUrl(session);
      const mixed = { garment_urls: [address], garment_images_b64: [garment, garment] };
      await mustTake(session, "1 garment by address and 2 by bytes", mixed);
    },
  },
  {
    id: "garments.mixed.most",
    title: "Refuses more than 3 garments by address and by bytes together",
    rules: ["request.garments.at-most-three"],
    level: "safe",
    on: "any",
    credits: imageUrlCredits + 8,
    async run(session) {
      const address = await imageUrl(session);
      const mixed = { garment_urls: [address, address], garment_images_b64: [garment, garment] };
      await mustRefuse(session, "2 garments by address and 2 by bytes", mixed);
    },
  },
  submissionCheck({
    id: "person.required",
    title: "Refuses a submission without a person with 400",
    rules: ["request.person.required"],
    statuses: [400],
    refused: [
      ["no person", noPerson],
      ["an empty person", { person_image_b64: "", person_url: null }],
    ],
  }),
  submissionCheck({
    id: "person.base64-wins",
    title: "Takes person_image_b64 and not person_url where there are both",
    rules: ["request.person.base64-wins"],
    taken: [["a person by bytes and an address of nothing", { person_url: nowhere }]],
  }),
];

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_unused, index) => `https://example.com/${index}.png`);
}
