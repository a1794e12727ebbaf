import { defineConfig, drivers } from "@adonisjs/core/encryption";

export default defineConfig({
  default: "aes256gcm",
  list: {
    aes256gcm: drivers.aes256gcm({ id: "shop", keys: ["a key of at least 16 characters"] }),
  },
});
