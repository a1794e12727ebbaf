/** An element that the page is known to have, of the kind that it is known to be. */
export function find<Kind extends Element>(
  root: ParentNode,
  selector: string,
  kind: new () => Kind,
): Kind {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} at ${selector}.`);
}

/** A new element with these properties and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
