export const htmlScript = `
const rows = [...document.querySelectorAll("[data-status]")];
const sections = [...document.querySelectorAll("[data-section]")];
const buttons = [...document.querySelectorAll("nav button")];
const search = document.querySelector("nav input");
const nothing = document.querySelector("#nothing");
let status = "all";
const show = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = status === "all" || row.dataset.status === status;
    row.hidden = !(fits && words.every((word) => text.includes(word)));
  }
  for (const section of sections) {
    section.hidden = section.querySelector("[data-status]:not([hidden])") === null;
  }
  nothing.hidden = rows.some((row) => !row.hidden);
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === status));
};
for (const button of buttons) {
  button.addEventListener("click", () => {
    status = status === button.value ? "all" : button.value;
    show();
  });
}
search.addEventListener("input", show);
document.querySelector("nav").hidden = false;
for (const call of document.querySelectorAll(".call")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const line = call.querySelector("pre");
    const label = (text) => {
      button.textContent = text;
      setTimeout(() => (button.textContent = "Copy"), 1500);
    };
    const select = () => {
      getSelection().selectAllChildren(line);
      label("Selected");
    };
    // A page that was opened as a file may have no clipboard.
    if (navigator.clipboard === undefined) select();
    else navigator.clipboard.writeText(line.textContent).then(() => label("Copied"), select);
  });
  call.append(button);
}
const goTo = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", goTo);
goTo();
show();
`;
