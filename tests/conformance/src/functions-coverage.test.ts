import { readdirSync, readFileSync } from 'node:fs'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'

// The methods are read from the client itself, so a new client version with untested methods fails here.

function functionsMethods(): string[] {
  const { functions } = createClient('http://127.0.0.1:9', 'key', { auth: { persistSession: false } })
  return Object.getOwnPropertyNames(Object.getPrototypeOf(functions)).filter((name) => name !== 'constructor')
}

/** Methods with a `describe('functions.invoke', …)` in any functions test. */
function testedMethods(): Set<string> {
  const folder = new URL('.', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('functions') && name.endsWith('.test.ts'))
  const titles = files.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^describe\('functions\.(\w+)'/gm),
  ])
  return new Set(titles.map(([, method = '']) => method))
}

describe('conformance tests of functions', () => {
  test.each(functionsMethods())('cover functions.%s', (method) => {
    expect(testedMethods()).toContain(method)
  })
})
