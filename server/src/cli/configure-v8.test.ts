import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** More than one start parses. */
const PARSINGS = 500

/** Returns the V8 compilers used for Postgres's parser. @param prepare - statement run first */
function compilersUsed(prepare: string): ReadonlySet<string> {
  const script = `
    ${prepare}
    const { loadModule, parseSync } = await import('libpg-query')
    await loadModule()
    for (let i = 0; i < ${PARSINGS}; i++)
      parseSync("select (a = auth.uid() and exists (select from public.members m where m.team = t.id and m.name ~~ 'a%'))")`
  const printed = execFileSync(
    process.execPath,
    ['--trace-wasm-compilation-times', '--input-type=module', '--eval', script],
    { cwd: fileURLToPath(new URL('../../../platform/policy', import.meta.url)), encoding: 'utf8' },
  )
  return new Set([...printed.matchAll(/ using (\w+), took/g)].map(([, compiler]) => compiler ?? ''))
}

test('the parser of Postgres is compiled once, and not again for speed', () => {
  const module = JSON.stringify(new URL('configure-v8.ts', import.meta.url).href)
  const prepare = `const { configureV8 } = await import(${module}); configureV8()`
  expect(compilersUsed(prepare)).toEqual(new Set(['Liftoff']))
})
