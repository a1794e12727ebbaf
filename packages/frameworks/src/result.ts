/** Result of a row: versions of the packages, and for each check `works` or what was wrong. */
export interface Result {
  readonly versions: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
}

export const works = "works";
