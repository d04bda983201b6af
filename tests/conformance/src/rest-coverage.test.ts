import { readdirSync, readFileSync } from 'node:fs'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { dataMethodsOf, restMethods } from './rest-methods.ts'

// The methods are read from the client itself, so a new client version with untested methods fails here.

/** Methods with a `describe('filter.eq', …)` in any REST test. */
function testedMethods(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('rest') && name.endsWith('.test.ts'))
  const titles = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(
      /^describe(?:\.\w+)?\(\s*'((?:client|table|filter|modifier|answer)\.\w+)'/gm,
    ),
  ])
  return new Set(titles.map(([, method = '']) => method))
}

describe('conformance tests of REST', () => {
  test.each(restMethods())('cover %s', (method) => {
    expect(testedMethods()).toContain(method)
  })

  test('name only methods of the client', () => {
    const methods = new Set(restMethods())
    expect([...testedMethods()].filter((method) => !methods.has(method))).toEqual([])
  })

  test('cover the methods that supabase-js exposes', () => {
    const client = createClient('http://127.0.0.1:9', 'key', { auth: { persistSession: false } })
    expect(dataMethodsOf(client)).toEqual(['from', 'schema', 'rpc'])
  })
})
