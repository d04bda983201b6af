import { HoldfastError } from '@holdfast/foundation'
import type { Catalog } from '@holdfast/postgres'
import { mediaTypeUnavailable } from '../errors.ts'
import type { RestOptions } from '../options.ts'
import { describeApi } from './describe-api.ts'

export const OPENAPI_MODES: readonly string[] = ['follow-privileges', 'ignore-privileges', 'disabled']

const ACCEPTABLE = new Set(['application/openapi+json', 'application/json', 'application/*', '*/*'])

export interface ApiDescriptions {
  readonly disabled: boolean
  /** Returns the description of a schema for a role, as JSON. Cached per catalog. */
  of(catalog: Catalog, schema: string, role: string): string
}

/**
 * @param url - public URL of the API: `http://127.0.0.1:54321/rest/v1`
 * @throws HoldfastError `option_invalid` for an unknown mode
 */
export function createApiDescriptions(options: RestOptions, url: string): ApiDescriptions {
  const { restOpenapiMode: mode, restOpenapiSecurityActive: securityActive } = options
  if (!OPENAPI_MODES.includes(mode)) {
    throw new HoldfastError('option_invalid', 500, `restOpenapiMode: ${mode} is none of ${OPENAPI_MODES.join(', ')}.`)
  }
  const byCatalog = new WeakMap<Catalog, Map<string, string>>()
  return {
    disabled: mode === 'disabled',
    of(catalog, schema, asked) {
      const role = mode === 'ignore-privileges' ? undefined : asked
      const known = byCatalog.get(catalog) ?? new Map<string, string>()
      byCatalog.set(catalog, known)
      const key = JSON.stringify([schema, role])
      const text =
        known.get(key) ?? JSON.stringify(describeApi({ catalog, schema, role, securityActive, url: new URL(url) }))
      known.set(key, text)
      return text
    },
  }
}

/**
 * Requires that the client accepts JSON, the only format of the description.
 *
 * @param accept - of the request
 * @throws PGRST107 if JSON is not acceptable
 */
export function requireDescribable(accept: string | undefined): void {
  const ranges = (accept ?? '*/*').split(',').map((range) => range.trim())
  const isAcceptable = ranges.some((range) => ACCEPTABLE.has((range.split(';')[0] ?? '').trim().toLowerCase()))
  if (!isAcceptable) throw mediaTypeUnavailable(ranges)
}
