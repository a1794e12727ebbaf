export { default } from "vitepress/theme-without-fonts";
// oxlint-disable-next-line import/no-unassigned-import -- Vite bundles the style.
import "./style.css";
