import type { Page } from "playwright-core";

/** Texts on a page that are too faint to be read, by the rule of WCAG AA, with how faint they are. */
export function faintTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    if (canvas === null) throw new Error("There is no canvas.");
    // Whatever a color is written as, a pixel of it is red, green, blue and how opaque it is.
    const pixel = (color: string): readonly number[] => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([red = 0, green = 0, blue = 0]: readonly number[]): number => {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element: Element | null): readonly number[] => {
      if (element === null) return [255, 255, 255, 255];
      const ground = pixel(getComputedStyle(element).backgroundColor);
      return ground[3] === 255 ? ground : groundOf(element.parentElement);
    };
    const faint = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      const element = text.parentElement;
      if (element === null || text.textContent?.trim() === "" || !element.checkVisibility())
        continue;
      const style = getComputedStyle(element);
      const [one, other] = [luminance(pixel(style.color)), luminance(groundOf(element))];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      const isLarge = Number.parseFloat(style.fontSize) >= 24;
      if (ratio < (isLarge ? 3 : 4.5)) {
        faint.add(
          `${element.tagName} ${element.className} ${ratio.toFixed(2)}: ${text.textContent}`,
        );
      }
    }
    return [...faint];
  });
}
