/** Rules of this part that nobody can see from outside, each with the reason. */
export const jobsNotObservable: Readonly<Record<string, string>> = {};
