import { join, resolve } from 'node:path'
import { errorMessage, HoldfastError, limitRepeats, systemClock, type Logger } from '@holdfast/foundation'
import { SAMPLE_PASSWORD, sampleAccounts } from '@holdfast/sample'
import type { Holdfast, OpenHoldfastOptions } from '../holdfast.ts'
import { setClusterAside } from '@holdfast/postgres'
import { STORED_FILES } from '../backup/stored-files.ts'
import { options, type Config } from '../config/options.ts'
import { runUntilStopped, type LifetimeOptions } from '../lifetime.ts'
import { createLogger, isLogFormat, isLogLevel } from '../logger.ts'
import { LogStore } from '../logs/log-store.ts'
import { openHoldfast } from '../open-holdfast.ts'
import { releaseMemory } from '../release-memory.ts'
import { releaseMemoryWhenIdle } from '../release-memory-when-idle.ts'
import { noteRunning, type ReadyLine } from '../running-file.ts'
import { VERSION } from '../version.ts'
import { endReset, readResetRequest, WHOLE_PROJECT } from '../project/reset-request.ts'
import { loadProjectConfig, type ProjectConfig } from '../project/settings/load-project-config.ts'
import { sourcesOf, type CommandInput } from './command.ts'

/** Additional behaviour for development. */
export interface Development {
  readonly onProjectProblem: (error: unknown) => void
  /** Called each time the server is ready. The result is closed before the server. */
  readonly onReady: (ready: ReadyLine) => Promise<AsyncDisposable>
  readonly lifetime: Pick<LifetimeOptions, 'until' | 'beforeClose'> & {
    readonly onStopping: (signal?: NodeJS.Signals) => void
  }
}

/**
 * `holdfast start`: runs until stopped.
 *
 * @returns the exit code
 * @throws {HoldfastError} if it cannot start, with a hint
 */
export async function start(input: CommandInput): Promise<number> {
  return await serve(input, await loadProjectConfig(options, sourcesOf(input)))
}

/**
 * Serves until stopped, like {@link start}, with the additions of `development`.
 *
 * @param given.notes - printed first
 */
export async function serve(
  input: CommandInput,
  given: ProjectConfig<Config>,
  development?: Development,
): Promise<number> {
  const began = performance.now()
  const config = checkConfig(given.config)
  const tell = config.json ? input.err : input.out
  const level = isLogLevel(config.logLevel) ? config.logLevel : 'warn'
  const format = isLogFormat(config.logFormat) ? config.logFormat : 'text'
  using limited = limitRepeats(createLogger(level, input.err, systemClock.now, format), systemClock)
  await using logs = openLogs(config, limited)
  const logger = logs?.loggerFor('server') ?? limited
  const requestLog = config.logRequests ? createLogger('info', input.err, systemClock.now, format) : undefined
  using _ = releaseMemoryWhenIdle(logger)
  tell(`Holdfast ${VERSION}\n`)
  for (const note of given.notes) tell(`  ${note}\n`)
  let next: Opening = { config, preparation: WHOLE_PROJECT }
  endReset(config.dataDir) // an interrupted one, which this start does not continue
  const noting = <T>(step: Promise<T>): Promise<T> =>
    step.catch((error: unknown) => {
      endReset(config.dataDir, error) // for the command waiting for it
      throw error
    })
  return await runUntilStopped({
    logger,
    // A package manager between terminal and server may exit without forwarding the signal.
    watchParent: development !== undefined || input.env['npm_lifecycle_event'] !== undefined,
    closeTimeoutMs: config.closeSeconds * 1_000,
    ...development?.lifetime,
    onStopping(signal) {
      tell('\nstopping\n')
      development?.lifetime.onStopping(signal)
    },
    async beforeReopen() {
      const request = readResetRequest(config.dataDir)
      if (!request) return
      tell('\nresetting the database\n')
      await noting(setClusterAside(config.dataDir, [STORED_FILES], logger))
      next = { ...next, preparation: request }
    },
    async open(signal) {
      const progress = (line: string): void => tell(`  ${line} …\n`)
      const { onProjectProblem } = development ?? {}
      const holdfast = await noting(
        openHoldfast({
          ...next,
          origins: given.origins,
          logger,
          logs,
          requestLog,
          clock: systemClock,
          progress,
          signal,
          ...(onProjectProblem && { onProjectProblem }),
        }),
      )
      logs?.begin()
      const line = readyLine(holdfast)
      // Automatically chosen ports stay the same afterwards.
      const { port, databasePort: dbPort } = holdfast
      next = { config: { ...config, port, dbPort }, preparation: WHOLE_PROJECT }
      const forget = note(config, line, logger)
      if (config.json) input.out(`${JSON.stringify(line)}\n`)
      else input.out(readyText(holdfast, performance.now() - began))
      endReset(config.dataDir)
      if (holdfast.seeded) await releaseMemory()
      const followed = await development?.onReady(line).catch(async (error: unknown) => {
        forget()
        await holdfast[Symbol.asyncDispose]()
        throw error
      })
      return {
        async [Symbol.asyncDispose]() {
          await followed?.[Symbol.asyncDispose]()
          forget()
          await holdfast[Symbol.asyncDispose]()
        },
      }
    },
  })
}

/** Opens the log that the console searches, in the data folder. */
function openLogs({ console: isShown, dataDir }: Config, logger: Logger): LogStore | undefined {
  return isShown ? new LogStore({ folder: join(dataDir, 'logs'), logger, clock: systemClock }) : undefined
}

/** What to open next. */
type Opening = Pick<OpenHoldfastOptions, 'config' | 'preparation'>

function checkConfig(config: Config): Config {
  if (!isLogLevel(config.logLevel)) {
    throw new HoldfastError('option_invalid', 500, `--log-level: "${config.logLevel}" is not a level.`, {
      hint: 'Use debug, info, warn or error.',
    })
  }
  if (!isLogFormat(config.logFormat)) {
    throw new HoldfastError('option_invalid', 500, `--log-format: "${config.logFormat}" is not a format.`, {
      hint: 'Use text or json.',
    })
  }
  // Otherwise this would be reported only after creating the database, as "in use".
  if (config.port !== 0 && config.port === config.dbPort && config.databaseUrl === undefined) {
    throw new HoldfastError('option_invalid', 500, `Port ${config.port} cannot be both --port and --db-port.`, {
      hint: 'Choose another one for either; 0 picks a free one.',
    })
  }
  return { ...config, dataDir: resolve(config.dataDir) }
}

/** An unwritable folder does not prevent serving. */
function note({ dataDir, tlsCertFile }: Config, ready: ReadyLine, logger: Logger): () => void {
  const certFile = tlsCertFile === undefined ? undefined : resolve(tlsCertFile)
  try {
    return noteRunning(dataDir, { version: VERSION, certFile, ready })
  } catch (error) {
    logger.log('warn', 'holdfast status and stop do not find this server', { error: errorMessage(error) })
    return () => undefined
  }
}

/** The single line of `--json`. */
function readyLine(holdfast: Holdfast): ReadyLine {
  return {
    ready: true,
    base: holdfast.baseUrl,
    db: holdfast.adminUrl,
    anonKey: holdfast.apiKeys.anon,
    serviceRoleKey: holdfast.apiKeys.serviceRole,
    publishableKey: holdfast.apiKeys.publishable,
    secretKey: holdfast.apiKeys.secret,
    jwtSecret: holdfast.jwtSecret,
    mailbox: holdfast.mailboxUrl,
    welcome: holdfast.welcome?.url,
    console: holdfast.consoleUrl,
    s3: holdfast.s3,
  }
}

const WELCOME_NOTES = {
  sample: 'signs in once, within 10 minutes',
  owner: 'creates your workspace; keep it to yourself, it is valid for 24 hours',
} as const

function readyText(holdfast: Holdfast, durationMs: number): string {
  const lines = [
    '',
    `  Ready in ${(durationMs / 1000).toFixed(1)} s`,
    '',
    ...(holdfast.welcome === undefined
      ? []
      : [
          `  Begin here         ${holdfast.welcome.url}`,
          `                     (${WELCOME_NOTES[holdfast.welcome.kind]})`,
          '',
        ]),
    ...(holdfast.consoleUrl === undefined
      ? []
      : [
          `  Console            ${holdfast.consoleUrl}`,
          '                     (creates the first operator; keep it to yourself, it works once)',
          '',
        ]),
    `  App and APIs       ${holdfast.baseUrl}`,
    ...(holdfast.mailboxUrl === undefined ? [] : [`  Mailbox            ${holdfast.mailboxUrl}`]),
    ...(holdfast.docsUrl === undefined ? [] : [`  Docs               ${holdfast.docsUrl}`]),
    `  Postgres           ${holdfast.adminUrl}`,
    `  publishable key    ${holdfast.apiKeys.publishable}`,
    `  secret key         ${holdfast.apiKeys.secret}`,
    `  anon key           ${holdfast.apiKeys.anon}`,
    `  service_role key   ${holdfast.apiKeys.serviceRole}`,
    ...(holdfast.s3
      ? [
          `  S3 endpoint        ${holdfast.s3.endpoint} (region ${holdfast.s3.region})`,
          `  S3 access key      ${holdfast.s3.accessKeyId}`,
          `  S3 secret key      ${holdfast.s3.secretAccessKey}`,
        ]
      : []),
    '',
  ]
  if (holdfast.hasSample) {
    const width = Math.max(...sampleAccounts.map(({ email }) => email.length))
    lines.push(
      `  Sample accounts, password ${SAMPLE_PASSWORD}`,
      ...sampleAccounts.map(({ email, what }) => `    ${email.padEnd(width)}  ${what}`),
      '',
    )
  }
  lines.push(
    '  The secret, service_role and S3 secret keys pass row-level security: keep them to yourself. Ctrl-C stops.',
    '',
    '',
  )
  return lines.join('\n')
}
