import type { Check } from "../../check.ts";
import { images } from "../../images.ts";
import { imageKinds } from "./image-kinds.ts";
import { submissionCheck } from "./submission-check.ts";

const notBase64 = "this is no base64 $$$";
const dataPrefix = "data:image/png;base64,";

/** Images that come as bytes. */
export const imagesSent: readonly Check[] = [
  submissionCheck({
    id: "images.person.base64",
    title: "Refuses a person_image_b64 that is no base64 of an image",
    rules: ["request.person-image-b64.base64"],
    refused: [
      ["a person_image_b64 that is no base64", { person_image_b64: notBase64 }],
      ["the base64 of a text in person_image_b64", { person_image_b64: base64("no image") }],
    ],
  }),
  submissionCheck({
    id: "images.person.no-data-prefix",
    title: "Refuses a person_image_b64 that begins with data:",
    rules: ["request.person-image-b64.no-data-prefix"],
    refused: [
      ["data: before person_image_b64", { person_image_b64: `${dataPrefix}${images.person}` }],
    ],
  }),
  submissionCheck({
    id: "images.garment.base64",
    title: "Refuses garment_images_b64 of which one is no base64 of an image",
    rules: ["request.garment-images-b64.base64"],
    refused: [
      ["a garment that is no base64", { garment_images_b64: [images.garment, notBase64] }],
      ["the base64 of a text for a garment", { garment_images_b64: [base64("no image")] }],
    ],
  }),
  submissionCheck({
    id: "images.garment.no-data-prefix",
    title: "Refuses garment_images_b64 of which one begins with data:",
    rules: ["request.images.exact-bound-and-kinds"],
    refused: [
      ["data: before a garment", { garment_images_b64: [`${dataPrefix}${images.garment}`] }],
    ],
  }),
  submissionCheck({
    id: "images.kinds",
    title: "Takes images in JPEG, WebP, AVIF and GIF beside PNG",
    rules: ["request.images.exact-bound-and-kinds"],
    taken: Object.entries(imageKinds).map(([kind, image]) => [
      `a person in ${kind}`,
      { person_image_b64: image },
    ]),
  }),
];

function base64(text: string): string {
  return Buffer.from(text.padEnd(64, ".")).toString("base64");
}
