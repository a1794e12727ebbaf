/** Problem of a text that cannot be an API key or a secret. */
export type CredentialProblem = "blank" | "quoted" | "spaced";

/**
 * Returns why a text cannot be an API key or a webhook secret, once it is trimmed: files, panels and `echo` add white space at
 * its ends. Anyone can compute an HMAC with a blank key, or with the text of an unset variable; quotes around a key and white
 * space in it are never part of it.
 */
export function credentialProblem(trimmed: string): CredentialProblem | undefined {
  if (/^(undefined|null|)$/.test(trimmed)) return "blank";
  if (/^(["'`]).*\1$/s.test(trimmed)) return "quoted";
  return /[\s\p{Cc}]/u.test(trimmed) ? "spaced" : undefined;
}

/** Returns the same as the end of a sentence. */
export function describeCredential(trimmed: string): string | undefined {
  const problem = credentialProblem(trimmed);
  if (problem === "blank") return "is blank, `undefined` or `null`";
  return problem && (problem === "quoted" ? "has quotes around it" : "contains white space");
}
