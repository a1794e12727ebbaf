import { describeForShoppers, prepareImage, type PageClient } from "@tryon/client/session";

/**
 * Turns the photo of a visitor upright, shrinks it, and removes its metadata, such as the location. Returns the text for the
 * visitor if the photo cannot be used.
 */
export async function choosePhoto(tryon: PageClient, file: File): Promise<Blob | string> {
  let failure: unknown;
  const photo = await prepareImage(file).catch((error: unknown) => {
    failure = error;
    return file;
  });
  const issues = await tryon.validate({ person: photo, garments: [photo] });
  const issue = issues.find(
    ({ field, severity, code }) =>
      field === "person" && (severity === "error" || code === "unknown_image"),
  );
  if (issue) return describeForShoppers(issue).text;
  // The service reads HEIC, which only Safari decodes. Another photo would be sent with its location.
  return failure && !/hei[cf]/i.test(file.type) ? describeForShoppers(failure).text : photo;
}
