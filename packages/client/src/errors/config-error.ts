import { TryOnError } from "./tryon-error.ts";

/** Invalid options (`invalid_config`), or options that would put a key at risk (`unsafe_environment`). */
export class ConfigError extends TryOnError {
  declare readonly code: "invalid_config" | "unsafe_environment";

  /** @hidden */
  constructor(code: ConfigError["code"], message: string, hint: string) {
    super(code, message, { hint });
  }
}
