/** If true, this is the build for apps of React Native. See `imports` of package.json. */
export const isApp: boolean = true;
