import { describe, expect, test } from 'vitest'
import { baseImports, mergeImportMap, parseImportMap } from './import-map.ts'

const RUNTIME = new URL('file:///runtime/')

describe('parseImportMap', () => {
  test('makes relative names, addresses and scopes absolute, and leaves others', () => {
    const text = `{
      // of a deno.json
      "compilerOptions": {},
      "imports": { "shared/": "../_shared/", "zod": "npm:zod@4", "/root": "./root.ts" },
      "scopes": { "./old/": { "zod": "npm:zod@3" } },
    }`
    expect(parseImportMap(text, '/project/functions/hello/deno.json')).toEqual({
      imports: {
        'shared/': 'file:///project/functions/_shared/',
        zod: 'npm:zod@4',
        'file:///root': 'file:///project/functions/hello/root.ts',
      },
      scopes: { 'file:///project/functions/hello/old/': { zod: 'npm:zod@3' } },
    })
  })

  test.each(['', '[]', '{ "imports": 3 }', '{ "imports": { }'])('refuses %j with the file', (text) => {
    expect(() => parseImportMap(text, '/project/deno.json')).toThrow('/project/deno.json is not an import map')
  })
})

describe('mergeImportMap', () => {
  test('without a file has what every function finds', () => {
    const { imports } = mergeImportMap(baseImports(RUNTIME), undefined)
    expect(imports).toMatchObject({
      'https://esm.sh/': 'npm:/',
      'https://deno.land/std@0.168.0/http/server.ts': 'file:///runtime/std-server.js',
      'https://deno.land/std@0.177.1/http/server.ts': 'file:///runtime/std-server.js',
      'jsr:@supabase/functions-js/edge-runtime.d.ts': 'file:///runtime/empty.js',
    })
  })
})
