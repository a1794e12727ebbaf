/** Rules of this part that nobody can see from outside, each with the reason. */
export const moneyUnseen: Readonly<Record<string, string>> = {};
