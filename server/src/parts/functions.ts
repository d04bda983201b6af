import { join } from 'node:path'
import { functionsOptions, openFunctions, type FunctionsService } from '@holdfast/functions'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Opens edge functions. @returns `undefined` if the configuration turns them off */
export function openFunctionsPart(
  { config, logger, opened }: PartContext,
  { accounts: { auth }, baseUrl }: { readonly accounts: Accounts; readonly baseUrl: string },
): FunctionsService | undefined {
  if (!config.functionsEnabled) return undefined
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
        jwks: () => auth.jwks(),
      },
      verifyToken: auth.verifyToken,
      options: optionsOf(config, functionsOptions),
      logger,
    }),
  )
}
