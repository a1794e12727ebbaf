import type { Page } from "@tryon/test-kit/chromium";

type Color = readonly number[];

interface SeenText {
  readonly what: string;
  readonly color: Color;
  readonly ground: Color;
  /** Pixels. */
  readonly size: number;
}

const largeSize = 24;

/** Texts on a page that are too faint to be read, by the rule of WCAG AA, with how faint they are. */
export async function faintTexts(page: Page): Promise<readonly string[]> {
  const texts = await seenTexts(page);
  if (texts.length === 0) throw new Error("There is no text on the page.");
  return texts.flatMap(({ what, color, ground, size }) => {
    const ratio = contrast(color, ground);
    return ratio < (size >= largeSize ? 3 : 4.5) ? [`${ratio.toFixed(2)}: ${what}`] : [];
  });
}

function contrast(one: Color, other: Color): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance([red = 0, green = 0, blue = 0]: Color): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function seenTexts(page: Page): Promise<readonly SeenText[]> {
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
    const groundOf = (element: Element | null): readonly number[] => {
      if (element === null) return [255, 255, 255, 255];
      const ground = pixel(getComputedStyle(element).backgroundColor);
      return ground[3] === 255 ? ground : groundOf(element.parentElement);
    };
    const seen = new Map<string, SeenText>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const text = texts.currentNode.textContent?.trim() ?? "";
      if (element === null || text === "" || !element.checkVisibility()) continue;
      const { color, fontSize } = getComputedStyle(element);
      const size = Number.parseFloat(fontSize);
      const ground = groundOf(element);
      // One of each kind is enough to know them all.
      seen.set(`${color} ${String(ground)} ${size}`, {
        what: `${element.tagName} ${text}`,
        color: pixel(color),
        ground,
        size,
      });
    }
    return [...seen.values()];
  });
}
