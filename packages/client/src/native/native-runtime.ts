// Code that differs in apps of React Native. `imports` of package.json selects it.
export {
  Connections,
  describePath,
  environmentLogger,
  imageOf,
  sha256Of,
} from "../http/runtime.ts";
export { nativeImage as nodeImage } from "./native-image.ts";
