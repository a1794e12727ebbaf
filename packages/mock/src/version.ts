import packageJson from "../package.json" with { type: "json" };

export const { version } = packageJson;

/** Value of the header `X-Mock`, which only the reference server sends. */
export const mark = `tryon-mock/${version}`;
