export const isPage: boolean = false;
