import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { storageMethods } from './storage-methods.ts'

// The methods are read from the client itself, so a new client version with untested methods fails here.

/** Methods with a `describe('file.upload', …)` in any storage test. */
function testedMethods(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('storage') && name.endsWith('.test.ts'))
  const titles = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^describe\('((?:bucket|file)\.\w+)'/gm),
  ])
  return new Set(titles.map(([, method = '']) => method))
}

describe('conformance tests of storage', () => {
  test.each(storageMethods())('cover %s', (method) => {
    expect(testedMethods()).toContain(method)
  })

  test('name only methods of the client', () => {
    const methods = new Set(storageMethods())
    expect([...testedMethods()].filter((method) => !methods.has(method))).toEqual([])
  })
})
