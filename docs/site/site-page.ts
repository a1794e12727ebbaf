/** What a page is about, which search and layout treat differently. */
export type PageKind = "guide" | "package" | "facts" | "decision" | "reference";

/** A page of the site, before it is made. */
export interface SitePage {
  /** Where its text stands, from the root of the repository; pages of the reference stand below `api/`. */
  readonly source: string;
  /** Where it stands in the site, without its ending: `guides/get-started`. */
  readonly path: string;
  readonly title: string;
  /** What it says, in one line. */
  readonly about: string;
  readonly kind: PageKind;
  /** Its text, in Markdown. */
  readonly text: string;
}

/** A part of the navigation; what is below a page is shown on it and on those. */
export interface NavigationItem {
  readonly page: SitePage;
  readonly title: string;
  readonly below: readonly NavigationGroup[];
}

export interface NavigationGroup {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

/** What a page is called: its only `# ` heading. */
export function titleOf(text: string, source: string): string {
  const title = /^# (.+)$/mu.exec(text)?.[1];
  if (title === undefined) throw new Error(`${source} has no title: a line that begins with "# ".`);
  return title.replaceAll("`", "").replaceAll("\\", "");
}
