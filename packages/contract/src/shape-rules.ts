/** The rules that stand in the schema of an answer: what holds every such answer against the document shows them. */
const rulesOf: Readonly<Record<string, readonly string[]>> = {};

export function shapeRules(operation: string, status: number): readonly string[] {
  return rulesOf[`${operation} ${status}`] ?? [];
}
