import type { ListedDevice } from '@holdfast/protocol'

const SYSTEMS = [
  [/iphone|ipad|\bios\b/i, 'iOS'],
  [/android/i, 'Android'],
  [/windows/i, 'Windows'],
  [/mac ?os|macintosh/i, 'macOS'],
  [/linux|x11/i, 'Linux'],
] as const

const BROWSERS = [
  [/\bedge?\b/i, 'Edge'],
  [/firefox/i, 'Firefox'],
  [/chrom(?:e|ium)/i, 'Chrome'],
  [/safari/i, 'Safari'],
  [/node/i, 'Node.js'],
] as const

/**
 * Names a device by what it runs: `Chrome on macOS`.
 *
 * @param userAgent - as the PowerSync SDK sends it: `powersync-js/1.3.0 powersync-web Chrome/130 macOS`, or a browser's
 */
export function deviceNameOf({ userAgent }: Pick<ListedDevice, 'userAgent'>): string {
  const find = (list: readonly (readonly [RegExp, string])[]): string | undefined =>
    list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? (userAgent === '' ? 'Unknown client' : (userAgent.split(' ', 1)[0] ?? userAgent))
}

/** Returns the SDK and its version: `powersync-js 1.3.0`. */
export function clientVersionOf({ userAgent }: Pick<ListedDevice, 'userAgent'>): string | undefined {
  const [, name, version] = /\b(powersync[\w-]*)\/(\d[\w.-]*)/i.exec(userAgent) ?? []
  return name && version ? `${name} ${version}` : undefined
}
