import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorMessage, HoldfastError, silentLogger } from '@holdfast/foundation'
import { devDeclarations } from '../config/options.ts'
import { followProject, type ProjectProblem } from '../project/follow-project.ts'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { readRunning, type ReadyLine } from '../running-file.ts'
import { renderTypes } from '../types/render-types.ts'
import { sourcesOf, type CommandInput } from './command.ts'
import { environmentOf, startCommand, type CommandProcess } from './command-process.ts'
import { serve } from './start.ts'

/**
 * `holdfast dev [-- COMMAND]`: serves like `start`, applies changes in the project folder to the database, and runs the command with the server's URL and keys
 * in its environment. Both end together. Uses a server already running on the data folder.
 *
 * With `--json`, each check of the project prints a line after that of `start`: `{"project":"applied"}` or `{"project":"failed","problem":{…}}`.
 *
 * @returns the exit code: the command's, if any
 * @throws {HoldfastError} start errors; `command_not_found`
 */
export async function dev(input: CommandInput): Promise<number> {
  const { words } = input
  const given = await loadProjectConfig(devDeclarations, sourcesOf(input))
  const { config } = given
  const running = readRunning(resolve(config.dataDir))
  if (running !== undefined) return await useRunning(running.ready, words, input, config.json)

  const ended = Promise.withResolvers<number>()
  let command: CommandProcess | undefined
  const report = (problem: ProjectProblem | undefined): void => {
    if (config.json) input.out(`${JSON.stringify(problem ? { project: 'failed', problem } : { project: 'applied' })}\n`)
    if (problem) input.err(`\n${[problem.message, problem.detail, problem.hint].filter(Boolean).join('\n')}\n`)
  }
  let atStart: ProjectProblem | undefined
  return await serve(input, given, {
    onProjectProblem: (error) => (atStart = problemOf(error)),
    async onReady(ready) {
      const writeTypes = async (): Promise<void> => {
        if (config.types === undefined) return
        const text = await renderTypes(ready.db, { schema: [], restSchemas: config.restSchemas })
        if (writeIfOther(config.types, text)) input.err(`  wrote ${config.types}\n`)
      }
      const following = await followProject({
        config,
        adminUrl: ready.db,
        logger: silentLogger,
        progress: (line) => input.err(`  ${line} …\n`),
        async onApplied() {
          await writeTypes()
          report(undefined)
        },
        onProblem: (error) => report(problemOf(error)),
      })
      if (atStart) report(atStart)
      atStart = undefined
      await writeTypes().catch((error: unknown) => report(problemOf(error)))
      if (words.length > 0 && !command) {
        command = await startCommand(words, { ...input.env, ...environmentOf(ready) }).catch(async (error: unknown) => {
          await following[Symbol.asyncDispose]()
          throw error
        })
        void command.ended.then(ended.resolve)
      }
      return following
    },
    lifetime: {
      until: ended.promise,
      onStopping: (signal) => void command?.end(signal),
      async beforeClose() {
        await command?.ended
      },
    },
  })
}

/** Another process is serving, and may or may not follow the project. */
async function useRunning(
  ready: ReadyLine,
  words: readonly string[],
  { env, out, err }: CommandInput,
  json: boolean,
): Promise<number> {
  if (json) out(`${JSON.stringify(ready)}\n`)
  if (json && words.length === 0) return 0 // the caller needs its location
  if (words.length === 0) {
    throw new HoldfastError('server_running', 500, `A server runs on ${ready.base} already, with this data folder.`, {
      hint: 'Name a command to run with it, after --, or end it with "holdfast stop".',
    })
  }
  err(`Uses the server on ${ready.base}, which another process runs.\n`)
  const command = await startCommand(words, { ...env, ...environmentOf(ready) })
  const pass = (signal: NodeJS.Signals): void => void command.end(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  try {
    return await command.ended
  } finally {
    for (const signal of signals) process.off(signal, pass)
  }
}

function problemOf(error: unknown): ProjectProblem {
  if (!(error instanceof HoldfastError)) return { code: 'internal_error', message: errorMessage(error) }
  const { code, message, detail, hint } = error
  return { code, message, detail, hint }
}

/** Writes a file only if changed, to avoid triggering watchers. @returns whether it was written */
function writeIfOther(path: string, text: string): boolean {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return true
}
