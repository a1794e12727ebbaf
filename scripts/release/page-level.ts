/** What came to browsers after Chrome 120, Firefox 115 or Safari 17, from which on docs/support.md serves them. */
const newer =
  /\b(?:AbortSignal\.any|Array\.fromAsync|Iterator\.from|(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|RegExp\.escape|Symbol\.(?:asyncDispose|dispose)|URL\.parse|Uint8Array\.from(?:Base64|Hex))\b|\.(?:isSubsetOf|isSupersetOf|isWellFormed|symmetricDifference|toBase64|toHex|toWellFormed)\(/g;

/** The names in a text of code that a browser which is served may not know. */
export function tooNew(code: string): readonly string[] {
  return [...new Set([...code.matchAll(newer)].map(([name]) => name.replace(/^\.|\($/g, "")))];
}
