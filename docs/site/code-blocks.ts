import { createCssVariablesTheme, createHighlighter } from "shiki";

/** Makes a fenced block of code into HTML. */
export type CodeBlocks = (code: string, info: string, follows: "named" | "other") => string;

const languages = ["ts", "tsx", "sh", "json", "yaml", "html", "toml", "dockerfile"] as const;

/** Colors are variables of the theme, so that light and dark share one page. */
export async function createCodeBlocks(): Promise<CodeBlocks> {
  const theme = createCssVariablesTheme({ name: "site", variablePrefix: "--code-" });
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] });
  return (code, info, follows) => {
    const [language = "", name] = info.trim().split(/\s+/u);
    const known = languages.some((each) => each === language);
    const lang = known ? language : "text";
    const pre = highlighter
      .codeToHtml(code.trimEnd(), { lang, theme: "site" })
      .replace(/^<pre[^>]*>/u, '<pre tabindex="0">');
    if (name !== undefined) return figure("code named", escapeHtml(name.replace(/#.*$/u, "")), pre);
    if (language === "text" && follows === "named") return figure("code output", "prints", pre);
    return figure("code", "", pre);
  };
}

function figure(classes: string, caption: string, pre: string): string {
  const title = caption === "" ? "" : `<figcaption>${caption}</figcaption>`;
  return `<figure class="${classes}">${title}${pre}</figure>\n`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
