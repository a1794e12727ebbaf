/** False in the builds for Node and for any runtime, see `page.ts`. */
export const isPage: boolean = false;
