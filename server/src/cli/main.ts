#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { findBundle } from './find-bundle.ts'

// The parser of Postgres is WebAssembly. V8 would compile its largest functions a second time after a few dozen policies, which takes a second of a processor and
// 600 MB; code parsed afterwards never wins that back. Both flags: each implies the other on Node's command line, and not here.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
// Before anything else is loaded: the next start need not compile it. Beside our own files, where no other program writes.
enableCompileCache(fileURLToPath(new URL('../../dist/.compile-cache', import.meta.url)))
const bundle = findBundle(new URL('../bundle/', import.meta.url))
const { run } = bundle ? ((await import(bundle.href)) as typeof import('./run.ts')) : await import('./run.ts')

/** What a handle that a person forgot may keep the terminal for, in milliseconds. */
const LINGER_MS = 2_000

process.exitCode = await run(process.argv.slice(2))
// With NODE_DEBUG=holdfast: what was forgotten, and keeps the process. The module is taken when it is needed: importing it loads more than it has.
process.getBuiltinModule('node:util').debuglog('holdfast')(
  'closed; still active: %s',
  process.getActiveResourcesInfo().join(', '),
)
// Everything is closed, and the process ends by itself. Not by `process.exit()`: that waits for V8's threads, of which one may be waiting for this
// one to collect garbage (nodejs/node#54918).
setTimeout(() => process.exit(), LINGER_MS).unref()
