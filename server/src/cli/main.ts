#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { findBundle } from './find-bundle.ts'
import { configureV8 } from './configure-v8.ts'

configureV8()
// Before loading anything else, so the next start need not compile it. Stored beside our own files, where no other program writes.
enableCompileCache(fileURLToPath(new URL('../../dist/.compile-cache', import.meta.url)))
const bundle = findBundle(new URL('../bundle/', import.meta.url))
const { run } = bundle ? ((await import(bundle.href)) as typeof import('./run.ts')) : await import('./run.ts')

/** Grace period in ms for a leaked handle. */
const LINGER_MS = 2_000

process.exitCode = await run(process.argv.slice(2))
// With NODE_DEBUG=holdfast, reports leaked handles. Loaded on demand, because importing it loads more.
process.getBuiltinModule('node:util').debuglog('holdfast')(
  'closed; still active: %s',
  process.getActiveResourcesInfo().join(', '),
)
// Everything is closed, so the process ends by itself. `process.exit()` may deadlock while waiting for V8's threads (nodejs/node#54918).
setTimeout(() => process.exit(), LINGER_MS).unref()
