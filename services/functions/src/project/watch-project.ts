import { existsSync, watch } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { RELOAD_MS } from '../limits.ts'
import type { ProjectFiles } from './discover.ts'
import { variableFoldersOf } from './variables.ts'

/** What editors and package managers write beside the sources. */
const IGNORED = /~$|\.tmp$|\.sw[a-z]$|^\.#|^4913$/

/**
 * Tells when a file of the project may have changed, once things have been quiet for a moment.
 *
 * @returns ends watching
 */
export function watchProject(files: ProjectFiles, onChange: () => void, logger: Logger): Disposable {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const notice = (): void => {
    clearTimeout(timer)
    timer = setTimeout(onChange, RELOAD_MS).unref()
  }
  const follow = (folder: string, recursive: boolean, concerns: (path: string) => boolean): void => {
    if (!existsSync(folder)) return
    const warn = (error: unknown): void =>
      logger.log('warn', `changes in ${folder} are not seen`, { error: errorMessage(error) })
    try {
      const watcher = watch(folder, { recursive, persistent: false, signal: stop.signal }, (_event, name) => {
        if (name === null || concerns(name)) notice()
      })
      watcher.on('error', warn)
    } catch (error) {
      // The folder above the project may be one that this server cannot read.
      warn(error)
    }
  }
  follow(files.directory, true, (path) => !path.split(sep).some(isIgnored))
  // Secrets may name their variables.
  for (const folder of variableFoldersOf(files.configFile))
    if (folder !== files.directory) follow(folder, false, (name) => name.startsWith('.env'))
  for (const path of [files.configFile, files.envFile]) {
    if (dirname(path) !== files.directory) follow(dirname(path), false, (name) => name === basename(path))
  }
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      stop.abort()
    },
  }
}

function isIgnored(part: string): boolean {
  if (part.startsWith('.env')) return false // whatever its end, functions must not read it
  return part === 'node_modules' || part === '.git' || IGNORED.test(part)
}
