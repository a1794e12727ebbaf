export const isApp: boolean = false;
