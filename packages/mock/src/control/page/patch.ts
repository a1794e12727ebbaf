import type { Shape } from "./shape.ts";

/** What each element was last made to be: what others have changed since, such as an opened row, stays. */
const shapes = new WeakMap<Element, Shape>();

const svgNamespace = "http://www.w3.org/2000/svg";

/**
 * Makes the children of an element what they are to be. Elements that stay are the same elements and do not move, so
 * that focus, selection, scrolling and what somebody is typing stay too.
 */
export function patch(parent: Element, children: readonly (Shape | string)[]): void {
  const left = [...parent.childNodes];
  const wanted = children.map((child) => {
    const index = left.findIndex((node) => fits(node, child));
    return index === -1 ? undefined : left.splice(index, 1)[0];
  });
  for (const node of left) node.remove();
  let place = parent.firstChild;
  for (const [index, child] of children.entries()) {
    const found = wanted[index];
    const node = found ?? create(parent, child);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    update(node, child);
  }
}

function fits(node: ChildNode, child: Shape | string): boolean {
  if (typeof child === "string") return node instanceof Text;
  const shape = node instanceof Element ? shapes.get(node) : undefined;
  return shape !== undefined && shape.tag === child.tag && shape.key === child.key;
}

function create(parent: Element, child: Shape | string): Element | Text {
  if (typeof child === "string") return document.createTextNode(child);
  const inSvg = child.tag === "svg" || parent.namespaceURI === svgNamespace;
  return inSvg
    ? document.createElementNS(svgNamespace, child.tag)
    : document.createElement(child.tag);
}

function update(node: ChildNode, child: Shape | string): void {
  if (typeof child === "string") {
    if (node.nodeValue !== child) node.nodeValue = child;
    return;
  }
  if (!(node instanceof HTMLElement || node instanceof SVGElement)) return;
  const before = shapes.get(node);
  shapes.set(node, child);
  setAttributes(node, before, child);
  for (const [name, value] of Object.entries(child.style)) {
    if (before?.style[name] !== value) node.style.setProperty(name, value);
  }
  // One listener for each event, which asks the newest shape what to do.
  for (const name of Object.keys(child.on)) {
    if (before !== undefined && name in before.on) continue;
    node.addEventListener(name, (event) => shapes.get(node)?.on[name]?.(event));
  }
  patch(node, child.children);
}

function setAttributes(node: Element, before: Shape | undefined, child: Shape): void {
  for (const name of Object.keys(before?.attributes ?? {})) {
    if (!(name in child.attributes)) node.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(child.attributes)) {
    if (before !== undefined && before.attributes[name] === value) continue;
    if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}
