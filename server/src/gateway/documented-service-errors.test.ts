import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Compares the tables of docs/reference/errors.md with the errors that the services construct. Sync and storage have separate tests.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8')

/** Codes that never reach a client: the start fails, the client has disconnected, or the gateway responds in the API's wording. */
const INTERNAL =
  /^(?:option_invalid|jwt_secret_invalid|PGRSTX01|token_expired|foreign_audience|token_role_refused|issuer_unavailable)$/
/** The gateway's status for an invalid token; the accounts service uses 403. */
const REWORDED = new Set(['bad_jwt 401'])

interface Refusal {
  readonly code: string
  readonly status: string
}

function refusalsIn(folder: string): readonly Refusal[] {
  const files = globSync(`${folder}/src/**/*.ts`, { cwd: ROOT }).filter(
    (name) => !/\.(?:test|test-support)\.ts$/.test(name),
  )
  return files.flatMap((name) => {
    const source = readFileSync(`${ROOT}/${name}`, 'utf8')
    return [...source.matchAll(/(?:new HoldfastError|refusal)\(\s*'(\w+)',\s*(\d{3})/g)]
      .map(([, code = '', status = '']) => ({ code, status }))
      .filter(({ code, status }) => !INTERNAL.test(code) && !REWORDED.has(`${code} ${status}`))
  })
}

/** Returns the statuses of each code, from rows `| codes | status | … |`. An empty set means that the row names none. */
function documentedIn(section: string): ReadonlyMap<string, ReadonlySet<string>> {
  const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)^## `, 'ms').exec(PAGE) ?? []
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, codes = '', statuses = ''] = line.split('|')
    for (const [, code = ''] of codes.matchAll(/`(\w+)`/g)) {
      const known = found.get(code) ?? new Set()
      for (const [status] of statuses.matchAll(/\b\d{3}\b/g)) known.add(status)
      found.set(code, known)
    }
  }
  return found
}

describe.each([
  ['Auth', 'services/auth', 60],
  ['REST', 'services/rest', 30],
  ['Realtime', 'services/realtime', 10],
  ['Console', 'services/console', 10],
])('the page’s section %s', (section, folder, least) => {
  const refusals = refusalsIn(folder)
  const documented = documentedIn(section)

  test('is compared with the source at all', () => {
    expect(new Set(refusals.map(({ code }) => code)).size).toBeGreaterThan(least)
  })

  test('has every code', () => {
    expect(refusals.map(({ code }) => code).filter((code) => !documented.has(code))).toEqual([])
  })

  test('has every status', () => {
    const missing = refusals.filter(({ code, status }) => {
      const statuses = documented.get(code)
      return statuses !== undefined && statuses.size > 0 && !statuses.has(status)
    })
    expect(missing).toEqual([])
  })
})
