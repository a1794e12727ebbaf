import type { TryOn } from "@tryon/client";
import { describeForShoppers, prepareImage } from "@tryon/client/session";

/**
 * Turns the photo of a visitor upright, shrinks it, and removes its metadata, such as the location. Returns the text for the
 * visitor if the photo cannot be used.
 */
export async function choosePhoto(tryon: TryOn, file: File): Promise<Blob | string> {
  let photo: Blob = file;
  try {
    photo = await prepareImage(file);
  } catch (error) {
    // The service reads HEIC, which only Safari decodes. Another photo would be sent with its location.
    if (!/hei[cf]/i.test(file.type)) return describeForShoppers(error).text;
  }
  const issues = await tryon.validate({ person: photo, garments: [photo] });
  const issue = issues.find(
    ({ field, severity, code }) =>
      field === "person" && (severity === "error" || code === "unknown_image"),
  );
  return issue ? describeForShoppers(issue).text : photo;
}
