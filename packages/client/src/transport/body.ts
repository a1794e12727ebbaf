import { encodeBase64 } from "../images/base64.ts";
import { readImage } from "../images/image-bytes.ts";
import type { PreparedInput } from "../jobs/prepare.ts";

/**
 * The body of a submission as text, made once: every attempt sends these very characters. Images are put in behind the
 * fields, so that no large text is ever escaped.
 */
export async function freezeBody(input: PreparedInput, wait: boolean): Promise<string> {
  let body = input.fields.replace(/\}$/, `${input.fields === "{}" ? "" : ","}"wait":${wait}`);
  if (input.person !== undefined) {
    body += `,"person_image_b64":"${encodeBase64(await readImage(input.person))}"`;
  }
  const garments: string[] = [];
  for (const garment of input.garments) {
    garments.push(`"${encodeBase64(await readImage(garment))}"`);
  }
  if (garments.length > 0) body += `,"garment_images_b64":[${garments.join(",")}]`;
  return `${body}}`;
}
