import { expect, test } from 'vitest'
import { clientVersionOf, deviceNameOf } from './device-name.ts'

test.each([
  ['powersync-js/1.3.0 powersync-web Chrome/130 macOS/14.5', 'Chrome on macOS', 'powersync-js 1.3.0'],
  ['powersync-js/1.3.0 powersync-node node/20.20.2 linux/6.1', 'Node.js on Linux', 'powersync-js 1.3.0'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1', 'Safari on iOS', undefined],
  ['powersync-dart-core/1.2.1 Android', 'Android', 'powersync-dart-core 1.2.1'],
  ['my-client/1', 'my-client/1', undefined],
  ['', 'Unknown client', undefined],
])('%s', (userAgent, name, version) => {
  expect(deviceNameOf({ userAgent })).toBe(name)
  expect(clientVersionOf({ userAgent })).toBe(version)
})
