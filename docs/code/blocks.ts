/** A piece of code in a page, between two fences. */
export interface Block {
  /** The page, from the root of the repository. */
  readonly page: string;
  /** Where it opens, counted from 1. */
  readonly line: number;
  /** The first word behind the fence, "" where there is none. */
  readonly language: string;
  /** The second: what the code is called, or which file of the repository it shows. */
  readonly name: string;
  /** The third, such as `peer`: what the code has to be held to otherwise. */
  readonly kind: string;
  readonly code: string;
  /** What stands directly below it as `text`: what it prints. */
  readonly output: string | undefined;
}

const fenced = /^(`{3,})(.*)\n([^]*?)^\1$/gm;

/** All code of one page, in its order. */
export function blocksOf(page: string, text: string): readonly Block[] {
  const found = [...text.matchAll(fenced)].map((match) => {
    const [whole, , info = "", code = ""] = match;
    const [language = "", name = "", kind = ""] = info.trim().split(/\s+/);
    const end = match.index + whole.length;
    return { page, line: lineAt(text, match.index), language, name, kind, code, match, end };
  });
  return found.map(({ match: _match, end, ...block }, index) => {
    const next = found[index + 1];
    const follows = next !== undefined && text.slice(end, next.match.index).trim() === "";
    const output = follows && next.language === "text" ? next.code : undefined;
    return { ...block, output };
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Whether a block shows a file of the repository, which has a test of its own. */
export function showsFile(block: Block): boolean {
  return block.name.includes("/");
}

/** Whether a block is a program or a module by itself. */
export function isProgram(block: Block): boolean {
  return (
    (block.language === "ts" || block.language === "tsx") &&
    !showsFile(block) &&
    block.kind !== "peer"
  );
}
