/** Maximum size of an image in bytes: as many as base64 of `maxBase64Length` holds. */
export const maxImageBytes = 10_500_000;
export const maxBase64Length = 14_000_000;
