#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before anything else is loaded: the next start need not compile it. Beside our own files, where nobody else writes.
enableCompileCache(fileURLToPath(new URL('../../dist/.compile-cache', import.meta.url)))
const { run } = await import('./run.ts')

process.exitCode = await run(process.argv.slice(2))
// Everything is closed; a handle that somebody forgot must not keep the terminal.
process.exit()
