import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { realtimeMethods } from './realtime-methods.ts'

// The methods are read from the client itself, so a new client version with untested methods fails here.

/** Methods with a `describe('channel.send', …)` in any realtime test. */
function testedMethods(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('realtime') && name.endsWith('.test.ts'))
  const titles = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^describe\('((?:realtime|channel)\.\w+)'/gm),
  ])
  return new Set(titles.map(([, method = '']) => method))
}

describe('conformance tests of realtime', () => {
  test.each(realtimeMethods())('cover %s', (method) => {
    expect(testedMethods()).toContain(method)
  })

  test('name only methods of the client', () => {
    const methods = new Set(realtimeMethods())
    expect([...testedMethods()].filter((method) => !methods.has(method))).toEqual([])
  })
})
