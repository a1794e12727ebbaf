/** Returns the element of this type that the page contains at the selector. */
export function findElement<Type extends Element>(
  root: ParentNode,
  selector: string,
  type: new () => Type,
): Type {
  const element = root.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} at ${selector}.`);
}

export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Shows a blob, and releases the memory of the blob that was shown before. */
export function showBlob(image: HTMLImageElement, blob: Blob | undefined): void {
  if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
  if (blob === undefined) image.removeAttribute("src");
  else image.src = URL.createObjectURL(blob);
}
