import { existsSync } from 'node:fs'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'
import type { ProjectAccess } from './environment.ts'
import type { LogPage, LogQuery } from './observe/log-store.ts'
import type { FunctionMetrics } from './observe/metrics.ts'
import type { FunctionsOptions } from './options.ts'
import type { FunctionsState } from './project/describe-project.ts'
import { functionRoutes } from './routes.ts'
import { projectFilesOf } from './project-files.ts'
import type { Serving } from './serve.ts'
import type { VerifyToken } from './verify.ts'

export interface OpenFunctionsOptions {
  /** Below the data folder. Created when the first function is found. */
  readonly home: string
  readonly access: ProjectAccess
  readonly verifyToken: VerifyToken
  /** Whether a request has an operator key. */
  readonly isOperator: (request: FastifyRequest) => Promise<boolean>
  readonly options: FunctionsOptions
  /** Whether to start the first process with the server instead of with the first request. Default: true. */
  readonly isPrepared?: boolean
  readonly logger: Logger
}

export interface FunctionsService extends AsyncDisposable {
  /** Mount at `/functions/v1`. Verifies tokens itself. */
  readonly routes: FastifyPluginAsync
  /** Returns the project's functions, for operators. */
  describe(): Promise<FunctionsState>
  /** Returns metrics of the functions called since the server's start. */
  readMetrics(): Promise<readonly FunctionMetrics[]>
  /** Returns the last lines that functions printed. */
  readLines(query: LogQuery): Promise<LogPage>
}

/** Opens edge functions, compatible with Supabase's clients and projects. */
export function openFunctions({
  home,
  access,
  verifyToken,
  isOperator,
  options,
  isPrepared = true,
  logger,
}: OpenFunctionsOptions): FunctionsService {
  const files = projectFilesOf(options)
  let loading: Promise<Serving> | undefined
  async function load(): Promise<Serving> {
    const { openServing } = await import('./serve.ts')
    return openServing({ files, home, access, verifyToken, options, logger })
  }
  const serving = (): Promise<Serving> => (loading ??= load())
  return {
    routes: functionRoutes({
      load: serving,
      onListen() {
        if (!isPrepared || (!existsSync(files.directory) && !existsSync(files.configFile))) return
        void serving().then((loaded) => loaded.prepare())
      },
      isOperator,
    }),
    describe: async () => (await serving()).runtime.describe(),
    readMetrics: async () => (await serving()).runtime.readMetrics(),
    readLines: async (query) => (await serving()).runtime.logs.find(query),
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]()
    },
  }
}
