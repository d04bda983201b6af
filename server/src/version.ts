import { readFileSync } from 'node:fs'

/** This release, as in `package.json`. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/** The oldest app that still understands this server. Older ones ask the person to reload. */
export const APP_VERSION_MIN = '0.1.0'
