import { HoldfastError } from '@holdfast/foundation'
import type { Config } from './options.ts'

/** Background styles of the app's maps. */
export interface MapSettings {
  readonly style: string
  /** `undefined`: the light style is used. */
  readonly darkStyle: string | undefined
  /** All origins a page may load from: those of the styles and of the resources they reference. */
  readonly origins: readonly string[]
}

/**
 * Parses the map settings.
 *
 * @returns `undefined` without a style
 * @throws {HoldfastError} `option_invalid` for an invalid URL or origin
 */
export function readMapSettings(
  config: Pick<Config, 'mapStyleUrl' | 'mapDarkStyleUrl' | 'mapOrigins'>,
): MapSettings | undefined {
  const { mapStyleUrl, mapDarkStyleUrl, mapOrigins } = config
  if (mapStyleUrl === undefined) {
    if (mapDarkStyleUrl === undefined && mapOrigins.length === 0) return undefined
    throw invalid('mapDarkStyleUrl and mapOrigins need a style', 'Set mapStyleUrl as well.')
  }
  const style = parseAddress('mapStyleUrl', mapStyleUrl)
  const darkStyle = mapDarkStyleUrl === undefined ? undefined : parseAddress('mapDarkStyleUrl', mapDarkStyleUrl)
  const origins = [style, ...(darkStyle ? [darkStyle] : []), ...mapOrigins.map(parseOrigin)].map(({ origin }) => origin)
  return { style: style.href, darkStyle: darkStyle?.href, origins: [...new Set(origins)] }
}

function parseAddress(option: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !isWebOrigin(url) || url.username !== '' || url.password !== '') {
    throw invalid(`${option}: "${text}" is not the address of a style`, 'Write https://tiles.example.com/style.json')
  }
  return url
}

function parseOrigin(text: string): URL {
  const url = URL.parse(text)
  if (!url || !isWebOrigin(url) || url.origin !== text) {
    throw invalid(
      `mapOrigins: "${text}" is not an origin`,
      'Write https://fonts.example.com, without a path and without *',
    )
  }
  return url
}

/** Returns whether a content security policy can express this origin: URLs allow `*` and `;` in a host, and policies do not support IPv6. */
function isWebOrigin({ protocol, hostname }: URL): boolean {
  return (protocol === 'https:' || protocol === 'http:') && /^[a-z0-9._-]+$/.test(hostname)
}

function invalid(what: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, `${what}.`, { hint })
}
