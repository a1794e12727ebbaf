/** Problem and hint of an image that cannot be read, which a page can need after it has loaded all parts of the client. */
export const unreadable = [
  "could not be read%",
  "Open it again if it was changed, removed or read before.",
] as const;
