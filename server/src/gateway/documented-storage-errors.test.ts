import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// Compares the error catalogue (docs/reference/errors.md) with the errors that the source of storage throws: all codes and statuses must match. Responses to S3
// clients use S3's codes.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Invalid settings are reported at startup and documented with the program's errors. */
const NOT_OF_REQUESTS = /^option_/

/** Storage reports `RoleRefused` as `AccessDenied`. */
const toldAs = (code: string): string => (code === 'RoleRefused' ? 'AccessDenied' : code)

function thrownInSource(): readonly (readonly [code: string, status: string])[] {
  const files = globSync('services/storage/src/**/*.ts', { cwd: ROOT }).filter(
    (name) => !name.endsWith('.test.ts') && !name.includes('/s3/'),
  )
  return files.flatMap((name) => {
    const source = readFileSync(`${ROOT}/${name}`, 'utf8')
    return [...source.matchAll(/(?:new HoldfastError|refusal)\(\s*'(\w+)',\s*(\d{3})/g)]
      .map(([, code = '', status = '']) => [toldAs(code), status] as const)
      .filter(([code]) => !NOT_OF_REQUESTS.test(code))
  })
}

/** Rows of the table under "Storage": `| codes | statuses | … |`. */
function documentedPairs(): readonly string[] {
  const page = readFileSync(`${ROOT}/docs/reference/errors.md`, 'utf8')
  const [, section = ''] = /^## Storage\n(.*?)^##/ms.exec(page) ?? []
  return section.split('\n').flatMap((line) => {
    const [, first = '', second = ''] = line.split('|')
    const codes = [...first.matchAll(/`(\w+)`/g)].map(([, code = '']) => code)
    return codes.flatMap((code) => (second.match(/\b\d{3}\b/g) ?? []).map((status) => `${code} ${status}`))
  })
}

const sorted = (pairs: readonly string[]): readonly string[] => [...new Set(pairs)].sort()

describe('the catalogue of errors', () => {
  test('has every code of storage with every status, and none that is not thrown', () => {
    const thrown = sorted(thrownInSource().map((pair) => pair.join(' ')))
    expect(thrown.length).toBeGreaterThan(20)
    expect(sorted(documentedPairs())).toEqual(thrown)
  })
})
