const { getDefaultConfig, mergeConfig } = require("@react-native/metro-config");

module.exports = mergeConfig(getDefaultConfig(__dirname), {
  // The whole of React Native needs a device. `main.js` loads the parts that have no view.
  serializer: { getModulesRunBeforeMainModule: () => [] },
});
