import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  functionsOptions,
  openFunctions,
  openFunctionsDatabase,
  projectFilesOf,
  type FunctionsOptions,
  type FunctionsService,
} from '@holdfast/functions'
import type { Pool } from '@holdfast/postgres'
import { SAMPLE_PROJECT } from '@holdfast/sample'
import { isOperator } from '../gateway/authenticate.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

const SAMPLE_FILES = {
  functionsDir: join(SAMPLE_PROJECT, 'functions'),
  functionsConfig: join(SAMPLE_PROJECT, 'config.toml'),
} as const

/** Opens edge functions: the project's, otherwise the sample's. @returns `undefined` if they are disabled */
export function openFunctionsPart(
  { config, logger, opened }: PartContext,
  given: {
    readonly accounts: Accounts
    readonly baseUrl: string
    /** Connected as Holdfast's own user. */
    readonly pool: Pool
    readonly requestUrl: string
    readonly hasSample: boolean
  },
): FunctionsService | undefined {
  if (!config.functionsEnabled) return undefined
  const { accounts, baseUrl, pool, requestUrl } = given
  const { auth } = accounts
  const own = optionsOf(config, functionsOptions)
  const isOfSample = given.hasSample && !hasFiles(own)
  const connectionsMax = config.functionsDbConnectionsMax
  const database = openFunctionsDatabase({ pool, requestUrl, connectionsMax, logger })
  const { anon, serviceRole, publishable, secret } = auth.apiKeys
  return opened.use(
    openFunctions({
      home: join(config.dataDir, 'functions'),
      access: {
        baseUrl,
        anonKey: anon,
        serviceRoleKey: serviceRole,
        publishableKey: publishable,
        secretKey: secret,
        databaseUrl: database.url,
        jwks: () => auth.jwks(),
      },
      verifyToken: auth.verifyToken,
      isOperator: (request) => isOperator(request, auth.verifyAdminToken),
      options: isOfSample ? { ...own, ...SAMPLE_FILES } : own,
      isPrepared: !isOfSample,
      logger,
    }),
  )
}

/** Returns whether functions exist or their folder is configured. */
function hasFiles(options: FunctionsOptions): boolean {
  const { directory, configFile } = projectFilesOf(options)
  const isNamed = options.functionsDir !== functionsOptions.functionsDir.default
  return isNamed || existsSync(directory) || existsSync(configFile)
}
