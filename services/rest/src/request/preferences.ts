import type { Preferences } from './api-request.ts'

const CHOICES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['minimal', 'representation', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
} as const

type Choices = typeof CHOICES

/**
 * Parses the `Prefer` header (RFC 7240). The first of repeated preferences applies; unknown ones are listed as invalid.
 *
 * @param header - all `Prefer` headers joined with commas
 * @param mayChooseEnd - whether `tx` applies; otherwise it is ignored but still valid
 */
export function parsePreferences(header: string | undefined, mayChooseEnd: boolean): Preferences {
  const given = (header ?? '')
    .split(',')
    .map((preference) => preference.trim())
    .filter((preference) => preference !== '')

  const choose = <K extends keyof Choices>(name: K): Choices[K][number] | undefined => {
    const values: readonly string[] = CHOICES[name]
    const found = given.find((item) => item.startsWith(`${name}=`) && values.includes(item.slice(name.length + 1)))
    return found?.slice(name.length + 1) as Choices[K][number] | undefined
  }
  const after = (prefix: string): string | undefined =>
    given.find((item) => item.startsWith(prefix))?.slice(prefix.length)

  const maxAffected = after('max-affected=')
  return {
    resolution: choose('resolution'),
    representation: choose('return'),
    count: choose('count'),
    transaction: mayChooseEnd ? choose('tx') : undefined,
    missing: choose('missing'),
    handling: choose('handling'),
    // Postgres checks that the time zone exists.
    timezone: after('timezone='),
    maxAffected: maxAffected !== undefined && /^-?[0-9]{1,15}$/.test(maxAffected) ? Number(maxAffected) : undefined,
    invalid: given.filter((item) => !isKnown(item)),
  }
}

function isKnown(preference: string): boolean {
  if (preference.startsWith('timezone=') || preference.startsWith('max-affected=')) return true
  return Object.entries(CHOICES).some(([name, values]) => values.some((value) => preference === `${name}=${value}`))
}
