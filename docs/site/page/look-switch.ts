const dark = matchMedia("(prefers-color-scheme: dark)");

/** The look that is shown: what was chosen here, or else what the system asks for. */
function shown(): "light" | "dark" {
  const { look } = document.documentElement.dataset;
  if (look === "light" || look === "dark") return look;
  return dark.matches ? "dark" : "light";
}

/** The button offers the look that is not shown, and says so. */
export function startLookSwitch(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-look]:not(html)");
  if (button === null) return;
  const say = (): void => {
    const other = shown() === "dark" ? "Light" : "Dark";
    button.textContent = other;
    button.setAttribute("aria-label", `${other} colors`);
  };
  button.addEventListener("click", () => {
    const next = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset["look"] = next;
    localStorage.setItem("look", next);
    say();
  });
  dark.addEventListener("change", say);
  say();
}
