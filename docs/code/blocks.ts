export interface Block {
  /** Path of the page from the root of the repository. */
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** First word after the fence, or "". */
  readonly language: string;
  /** Second word: name of the code, or path of an embedded file of the repository. */
  readonly name: string;
  /** Third word, such as `peer` for code of other libraries. */
  readonly kind: string;
  readonly code: string;
  /** Output of the program: a `text` block directly below, or the comments behind its calls of `console.log`. */
  readonly output: string | undefined;
}

const fenced = /^(`{3,})(.*)\n([^]*?)^\1$/gm;

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
    const output = follows && next.language === "text" ? next.code : printedBy(block.code);
    return { ...block, output };
  });
}

function printedBy(code: string): string | undefined {
  const lines = Array.from(code.matchAll(/^console\.log\(.*\); \/\/ (.+\n)/gm), ([, line]) => line);
  return lines.length > 0 ? lines.join("") : undefined;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Returns true if a block embeds a file of the repository, which has its own test. */
export function showsFile(block: Block): boolean {
  return block.name.includes("/");
}

/** Returns true if a block is a program or a module by itself. */
export function isProgram(block: Block): boolean {
  return (
    (block.language === "ts" || block.language === "tsx") &&
    !showsFile(block) &&
    block.kind !== "peer"
  );
}
