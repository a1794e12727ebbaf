/** What an attribute may be; true stands for an attribute without a value, and what is null, undefined or false is absent. */
type Value = string | number | boolean | null | undefined;

type Handler = (event: Event) => void;

/** What an element is to be like, besides what stands in it. */
export interface Look {
  /** Tells it from its siblings, so that it stays the same element when they change. */
  readonly key?: string;
  /** Handlers by the names of events. */
  readonly on?: Readonly<Record<string, Handler>>;
  /** Custom properties of its style. */
  readonly style?: Readonly<Record<string, string>>;
  readonly [attribute: string]: unknown;
}

/** An element as it is to be. Texts are put in as texts, whatever they look like. */
export interface Shape {
  readonly tag: string;
  readonly key: string | undefined;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly on: Readonly<Record<string, Handler>>;
  readonly style: Readonly<Record<string, string>>;
  readonly children: readonly (Shape | string)[];
}

/** What may stand where a child stands; what is null, undefined or false is left out. */
export type Child = Shape | string | number | null | undefined | false | readonly Child[];

/** Describes an element. */
export function h(tag: string, look: Look = {}, ...children: readonly Child[]): Shape {
  const { key, on = {}, style = {}, ...attributes } = look;
  // What is left of a look are attributes.
  const values = attributes as Readonly<Record<string, Value>>;
  return { tag, key, attributes: values, on, style, children: flat(children) };
}

function flat(children: readonly Child[]): (Shape | string)[] {
  return children.flatMap((child): (Shape | string)[] => {
    if (child === null || child === undefined || child === false) return [];
    if (typeof child === "string") return child === "" ? [] : [child];
    if (typeof child === "number") return [String(child)];
    return isList(child) ? flat(child) : [child];
  });
}

function isList(child: Shape | readonly Child[]): child is readonly Child[] {
  return Array.isArray(child);
}
