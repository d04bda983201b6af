import { signInsMessages } from '../../messages/account-sign-ins.ts'

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'program' | 'unknown'

export interface DeviceName {
  /** Such as `Chrome on Windows`; `undefined` if nothing is recognized. */
  readonly name: string | undefined
  readonly kind: DeviceKind
}

/** First match wins, because browsers also name their ancestors. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\b(?:Edg|EdgA|EdgiOS)\//],
  ['Opera', /\b(?:OPR|OPiOS)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
]

const SYSTEMS: readonly (readonly [name: string, kind: DeviceKind, pattern: RegExp])[] = [
  ['iPhone', 'phone', /\biPhone\b/],
  ['iPad', 'tablet', /\biPad\b/],
  // Android phones include `Mobile`; tablets do not.
  ['Android', 'phone', /\bAndroid\b.*\bMobile\b/],
  ['Android tablet', 'tablet', /\bAndroid\b/],
  ['ChromeOS', 'computer', /\bCrOS\b/],
  ['Windows', 'computer', /\bWindows\b/],
  ['Mac', 'computer', /\bMacintosh\b/],
  ['Linux', 'computer', /\b(?:Linux|X11)\b/],
]

const PROGRAMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Node.js', /^node(?:\.js)?(?:\/|$)|\bundici\b/i],
  ['Deno', /^Deno\//],
  ['Bun', /^Bun\//],
  ['curl', /^curl\//],
  ['Dart or Flutter', /^Dart\//],
  ['Android app', /^okhttp\//],
  ['Apple app', /\bCFNetwork\//],
  ['Python', /^python/i],
]

/**
 * Returns a readable device name for a user agent. Browsers freeze and shorten user agents, so versions and models are ignored. An iPad that requests desktop
 * pages counts as a Mac.
 *
 * @param userAgent - from the request header
 */
export function deviceNameOf(userAgent: string | null | undefined): DeviceName {
  if (userAgent === null || userAgent === undefined || userAgent.trim() === '')
    return { name: undefined, kind: 'unknown' }
  const program = PROGRAMS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  if (program !== undefined) return { name: program, kind: 'program' }
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const system = SYSTEMS.find(([, , pattern]) => pattern.test(userAgent))
  const kind = system?.[1] ?? 'unknown'
  if (browser === undefined) return { name: system?.[0], kind }
  return { name: system === undefined ? browser : signInsMessages.deviceOn(browser, system[0]), kind }
}
