/** What `@powersync/react-native` reads of React Native: the platform, for its user agent. */
export const Platform = {
  OS: 'android',
  Version: 36,
  constants: { reactNativeVersion: { major: 0, minor: 88, patch: 1 } },
}
export const NativeModules = {}
