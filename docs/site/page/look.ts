// Runs before anything is drawn, so that nobody who chose dark sees a flash of light.
const chosen = localStorage.getItem("look");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset["look"] = chosen;
