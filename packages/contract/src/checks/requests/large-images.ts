import type { Check } from "../../check.ts";
import { images } from "../../images.ts";
import { mustRefuse, mustTake } from "./submission-check.ts";

/** What `person_image_b64` may have. */
const personCharacters = 14_000_000;

/** "About 10 MB", looked at from either side. */
const garmentBytes = { within: 10_000_000, beyond: 11_000_000 };

/** Images about as large as may be; sending them takes a while. */
export const largeImages: readonly Check[] = [
  {
    id: "large.person",
    title: "Takes 14000000 characters in person_image_b64, and no more than that",
    rules: ["request.person-image-b64.max-length"],
    level: "full",
    on: "any",
    credits: 16,
    async run(session) {
      const fits = { person_image_b64: padded(images.person, (personCharacters * 3) / 4) };
      await mustTake(session, `${personCharacters} characters in person_image_b64`, fits);
      const tooLong = { person_image_b64: `${fits.person_image_b64}AAAA` };
      await mustRefuse(session, `${personCharacters + 4} characters in person_image_b64`, tooLong);
    },
  },
  {
    id: "large.garment.taken",
    title: "Takes a garment of 10 MB",
    rules: ["request.garment-images-b64.decoded-size"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const fits = { garment_images_b64: [padded(images.garment, garmentBytes.within)] };
      await mustTake(session, `a garment of ${garmentBytes.within} bytes`, fits);
    },
  },
  {
    id: "large.garment.refused",
    title: "Refuses a garment of more than about 10 MB with 400",
    rules: ["submit.400.image-too-large", "request.garment-images-b64.decoded-size"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const tooLarge = { garment_images_b64: [padded(images.garment, garmentBytes.beyond)] };
      await mustRefuse(session, `a garment of ${garmentBytes.beyond} bytes`, tooLarge, [400]);
    },
  },
];

/** An image with bytes behind its end, which those who read it pass over. */
function padded(base64: string, bytes: number): string {
  const whole = Buffer.alloc(bytes);
  Buffer.from(base64, "base64").copy(whole);
  return whole.toString("base64");
}
