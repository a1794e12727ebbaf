// Code that prepares photos. In a page, `imports` of package.json selects `load-canvas-in-page.ts` instead.
import { prepareWithCanvas } from "./prepare-with-canvas.ts";

export const loadCanvas = () => ({ prepareWithCanvas });
