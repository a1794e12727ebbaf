/** Rules of this part that nobody can see from outside, each with the reason. */
export const webhooksNotObservable: Readonly<Record<string, string>> = {};
