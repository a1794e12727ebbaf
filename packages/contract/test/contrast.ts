// The page only gets this function, so it has its helpers inside.
/* oxlint-disable unicorn/consistent-function-scoping */

/** The texts of the page whose contrast is under 4.5 to 1 (WCAG 2.2, 1.4.3); it runs in the page. */
export function faintTexts(): string[] {
  const parts = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const over = (colour: number[], below: number[]): number[] => {
    const alpha = colour[3] ?? 1;
    return [0, 1, 2].map((at) => (colour[at] ?? 0) * alpha + (below[at] ?? 0) * (1 - alpha));
  };
  const behind = (element: Element | null): number[] => {
    if (element === null) return [255, 255, 255];
    const own = parts(getComputedStyle(element).backgroundColor);
    return (own[3] ?? 1) === 1 ? own : over(own, behind(element.parentElement));
  };
  const light = (colour: number[]): number => {
    const [red = 0, green = 0, blue = 0] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "",
    );
    if (!own || element instanceof HTMLScriptElement || !element.checkVisibility()) continue;
    const back = behind(element);
    const ink = over(parts(getComputedStyle(element).color), back);
    const [low = 0, high = 0] = [light(ink), light(back)].toSorted((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(2)} ${element.textContent?.slice(0, 40)}`);
  }
  return faint;
}
