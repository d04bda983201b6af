import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
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
      'jsr:@supabase/supabase-js@2/cors': 'npm:@supabase/supabase-js@2/cors',
      'https://deno.land/std@0.177.1/http/server.ts': 'file:///runtime/std-server.js',
      'jsr:@supabase/functions-js/edge-runtime.d.ts': 'file:///runtime/empty.js',
    })
  })

  describe('with a file', () => {
    function merged(name: string, content: object): Readonly<Record<string, string>> {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      writeFileSync(join(folder, name), JSON.stringify(content))
      return mergeImportMap(baseImports(RUNTIME), join(folder, name)).imports
    }

    test('looks up its addresses in what every function finds', () => {
      const imports = {
        '@supabase/functions-js': 'jsr:@supabase/functions-js@^2.4.1',
        supabase: 'jsr:@supabase/supabase-js@2',
        zod: 'https://esm.sh/zod@4',
        'std/server': 'https://deno.land/std@0.177.0/http/server.ts',
      }
      expect(merged('deno.json', { imports })).toMatchObject({
        '@supabase/functions-js/edge-runtime.d.ts': 'file:///runtime/empty.js',
        supabase: 'npm:@supabase/supabase-js@2',
        zod: 'npm:/zod@4',
        'std/server': 'file:///runtime/std-server.js',
      })
    })

    test('has the modules of a package that is named without them, as deno.json does', () => {
      const imports = {
        openai: 'npm:openai@4',
        '@std/path': 'jsr:@std/path@1',
        hono: 'npm:hono@4',
        'hono/': 'npm:hono@3/',
      }
      expect(merged('deno.json', { imports })).toMatchObject({
        'openai/': 'npm:/openai@4/',
        '@std/path/': 'jsr:/@std/path@1/',
        'hono/': 'npm:/hono@3/',
      })
    })

    test('takes the packages of a package.json that come from a registry', () => {
      const dependencies = { zod: '^4.0.0', path: 'npm:@jsr/std__path@1', here: 'file:../here', there: 'github:a/b' }
      const found = merged('package.json', { dependencies, devDependencies: { ms: '2' } })
      expect(found).toMatchObject({ zod: 'npm:zod@^4.0.0', path: 'npm:@jsr/std__path@1', ms: 'npm:ms@2' })
      expect(found).not.toHaveProperty('here')
      expect(found).not.toHaveProperty('there')
    })
  })
})
