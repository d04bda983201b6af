import { join } from 'node:path'
import { functionsOptions, openFunctions, openFunctionsDatabase, type FunctionsService } from '@holdfast/functions'
import type { Pool } from '@holdfast/postgres'
import { isOperator } from '../gateway/authenticate.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens edge functions. @returns `undefined` if the configuration turns them off */
export function openFunctionsPart(
  { config, logger, opened }: PartContext,
  given: {
    readonly accounts: Accounts
    readonly baseUrl: string
    /** As the user that Holdfast itself is. */
    readonly pool: Pool
    readonly requestUrl: string
  },
): FunctionsService | undefined {
  if (!config.functionsEnabled) return undefined
  const { accounts, baseUrl, pool, requestUrl } = given
  const { auth } = accounts
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
      options: optionsOf(config, functionsOptions),
      logger,
    }),
  )
}
