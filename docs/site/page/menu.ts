/** On narrow windows the list of pages is behind a button. */
export function startMenu(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-menu]");
  const menu = document.querySelector<HTMLElement>("#menu");
  if (button === null || menu === null) return;
  const show = (open: boolean): void => {
    document.documentElement.classList.toggle("menu-shown", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => {
    show(button.getAttribute("aria-expanded") !== "true");
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || button.getAttribute("aria-expanded") !== "true") return;
    show(false);
    button.focus();
  });
  // A long list opens where the reader is.
  const current = menu.querySelector<HTMLElement>("[aria-current]");
  if (current !== null) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}
