'use strict'
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

const MAIN = join(__dirname, '../dist/cli/main.js')
/** Exists in a checkout only, where the program may not be built yet, or of older sources. */
const BUILD = join(__dirname, '../../scripts/build-if-stale.ts')

if (existsSync(BUILD)) {
  const { status } = spawnSync(process.execPath, [BUILD], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
import(pathToFileURL(MAIN).href).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
