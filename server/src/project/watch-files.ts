import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Poll interval in ms. Polling also works without file system events, and before the folder exists. */
const LOOK_MS = 300

/**
 * Watches a folder, and files beside it, for added, removed or changed files, such as a project's migrations and seeds.
 *
 * @param folder - may not exist
 * @param filesBeside - evaluated at each poll, because it may change
 * @param onChange - awaited before the next poll
 * @returns stops watching, after a running `onChange`
 */
export function watchFiles(
  folder: string,
  filesBeside: () => readonly string[],
  onChange: () => Promise<void>,
): AsyncDisposable {
  let seen = stateOf(folder, filesBeside())
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  let running = Promise.resolve()

  const look = async (): Promise<void> => {
    const now = stateOf(folder, filesBeside())
    // A file that is still being written differs at the next poll.
    if (now !== seen) {
      seen = now
      await onChange()
    }
    if (!isEnded) schedule()
  }
  function schedule(): void {
    timer = setTimeout(() => (running = look()), LOOK_MS).unref()
  }
  schedule()
  return {
    async [Symbol.asyncDispose]() {
      isEnded = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Returns names, sizes and modification times as one string. */
function stateOf(folder: string, files: readonly string[]): string {
  const paths = [...namesIn(folder).map((name) => join(folder, name)), ...files]
  return paths
    .map((path) => {
      const found = statOf(path)
      return found ? `${path}\0${found.size}\0${found.mtimeMs}` : path
    })
    .join('\n')
}

/** Returns `undefined` if missing or inaccessible; the next migration run reports the reason. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
  } catch {
    return [] // missing, or just removed
  }
}
