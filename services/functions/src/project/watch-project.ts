import { existsSync, watch } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { RELOAD_MS } from '../limits.ts'
import type { ProjectFiles } from './discover.ts'
import { variableFoldersOf } from './variables.ts'

/** Temporary files of editors and package managers. */
const IGNORED = /~$|\.tmp$|\.sw[a-z]$|^\.#|^4913$/

/**
 * Watches the project's files and reports changes, debounced.
 *
 * @returns stops watching
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
      logger.log('warn', `changes in ${folder} cannot be watched`, { error: errorMessage(error) })
    try {
      const watcher = watch(folder, { recursive, persistent: false, signal: stop.signal }, (_event, name) => {
        if (name === null || concerns(name)) notice()
      })
      watcher.on('error', warn)
    } catch (error) {
      // The parent folder may not be readable for this server.
      warn(error)
    }
  }
  follow(files.directory, true, (path) => !path.split(sep).some(isIgnored))
  // Secrets may reference their variables.
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
  if (part.startsWith('.env')) return false // functions must not read any dotenv file
  return part === 'node_modules' || part === '.git' || IGNORED.test(part)
}
