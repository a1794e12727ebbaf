const shownFor = 1_500;

/** Gives each block of code a button that copies it. */
export function startCopy(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("figure.code:not(.output)")) {
    const code = figure.querySelector("code");
    if (code === null) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(code.textContent).then(
        () => say(button, "Copied"),
        () => say(button, "Not allowed"),
      );
    });
    figure.append(button);
  }
}

function say(button: HTMLButtonElement, word: string): void {
  button.textContent = word;
  setTimeout(() => (button.textContent = "Copy"), shownFor);
}
