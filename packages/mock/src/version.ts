import packageJson from "../package.json" with { type: "json" };

/** The version of this package. */
export const { version } = packageJson;

/** The value of `X-Mock`, by which an answer can be told from the service's. */
export const mark = `tryon-mock/${version}`;
