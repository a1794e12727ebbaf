import type { TryOn } from "@tryon/client";
import { describeForShoppers, prepareImage } from "@tryon/client/session";

/**
 * Turns the photo of a visitor upright, shrinks it, and removes its metadata, such as the location. Returns the text for the
 * visitor if the photo cannot be used.
 */
export async function choosePhoto(tryon: TryOn, file: File): Promise<Blob | string> {
  // The service may read a format that the browser cannot decode.
  const photo = await prepareImage(file).catch(() => file);
  const issues = await tryon.validate({ person: photo, garments: [photo] });
  const issue = issues.find(
    ({ field, severity, code }) =>
      field === "person" && (severity === "error" || code === "unknown_image"),
  );
  return issue ? describeForShoppers(issue).text : photo;
}
