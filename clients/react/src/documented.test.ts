import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/reference/client-kit.md')

function exportsOf(path: string): readonly string[] {
  return [...read(path).matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  )
}

test.each(['clients/client/src/index.ts', 'clients/react/src/index.ts'])(
  'every export of %s is on the reference page',
  (path) => {
    const names = exportsOf(path)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([])
  },
)
