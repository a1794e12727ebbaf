/** Row of a page that a run has written: packages of others, in which a run checks ours. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** Packages to install. The version of the first is that of the row. */
  readonly packages: readonly string[];
  /** If true, install scripts run. @default false */
  readonly scripts?: boolean;
  /** Variables of its commands. */
  readonly env?: Readonly<Record<string, string>>;
  /** Checks that the row cannot have, and the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Texts of the page for the results of checks that are not `works`. */
  readonly notes?: Readonly<Record<string, string>>;
  /** If true, `.ci/run` runs it with the versions of the results. @default false */
  readonly isPinned?: boolean;
}

/** Result of a row: versions of the packages, and for each check `works` or what was wrong. */
export interface Result {
  readonly versions: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
}

export const works = "works";

/** Outcome of a check that a row does not have. */
export const notApplicable = "not applicable";

/** Returns the result of a row in a file of results. */
export function resultIn<Found extends Result = Result>(
  { rows }: { readonly rows: object },
  { id }: Row,
): Partial<Found> {
  // A run has written the file.
  return (rows as Readonly<Record<string, Found>>)[id] ?? {};
}
