import { join } from 'node:path'
import type { KeySources, SettingSources, SignInSources } from '@holdfast/console'
import { listSettings } from '../config/list-settings.ts'
import { optionGroups } from '../config/options.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Returns what the console shows of the server's options. */
export function createSettingSources({ config, origins }: PartContext): SettingSources {
  return {
    listSettings: () => listSettings(optionGroups, config, origins),
    configFile: config.configFile,
  }
}

/** Returns providers and mail templates for the console. */
export function createSignInSources({ auth }: Accounts): SignInSources {
  return {
    listProviders: async () =>
      (await auth.describeProviders()).map(({ optionPrefix = null, ...provider }) => ({ ...provider, optionPrefix })),
    mails: auth.mailTemplates,
  }
}

/** Returns the API keys for the console. */
export function createKeySources({ config, origins }: PartContext, { auth }: Accounts): KeySources {
  const { publishable, secret, anon, serviceRole } = auth.apiKeys
  return {
    apiKeys: { publishable, secret, anon, service_role: serviceRole },
    isSecretGenerated: config.jwtSecret === undefined,
    secretPlace:
      config.jwtSecret === undefined
        ? join(config.dataDir, 'jwt-secret')
        : (origins?.['jwtSecret']?.where ?? 'the program that opened the server'),
    tokenSeconds: config.jwtExpiry,
  }
}
