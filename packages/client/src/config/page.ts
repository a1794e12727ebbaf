/** If true, this is the build for pages and their workers, without code that only other runtimes use. See `imports` of package.json. */
export const isPage: boolean = true;
