import { existsSync, readFileSync } from 'node:fs'
import { HoldfastError } from '@holdfast/foundation'
import type { HostCalls } from '@holdfast/protocol'
import { loadConfig } from '../config/load-config.ts'
import { options, type Config } from '../config/options.ts'
import { settingsOfProject } from '../project/settings/load-project-config.ts'

/** All clients of a test share an IP address and sign in more often than real users. */
const TEST_SETTINGS = {
  rateLimitEmailSent: 0,
  rateLimitSmsSent: 0,
  rateLimitAnonymousUsers: 0,
  rateLimitTokenRefresh: 0,
  rateLimitSignInSignUps: 0,
  rateLimitTokenVerifications: 0,
  passwordHashCost: 4,
  captchaEnabled: false,
}

/** Settings of real senders, which tests drop so that all messages are captured. */
const SENDERS = ['emailSmtpHost', 'smsTwilioAccountSid', 'smsTwilioVerifyAccountSid']

/** Settings determined by the host. */
const NOT_A_CHOICE = [
  'databaseUrl',
  'postgresBin',
  'postgresSettings',
  'dataDir',
  'host',
  'port',
  'dbPort',
  'externalUrl',
  'configFile',
  'json',
]

/**
 * Loads the settings of a test's server: the project's `config.toml` and `holdfast.config.json`, overridden by test defaults, overridden by the test's own. The
 * environment applies only to `env(NAME)` in `config.toml`, because variables for a real server would lead to its database.
 *
 * @throws {HoldfastError} `option_unknown`, `option_invalid`, `project_config_invalid`
 */
export async function loadTestConfig({
  hasProject,
  options: own,
  externalUrl,
}: HostCalls['open']['in']): Promise<Config> {
  const refused = Object.keys(own).find((name) => NOT_A_CHOICE.includes(name))
  if (refused !== undefined)
    throw new HoldfastError('option_invalid', 500, `A test cannot choose ${refused}.`, {
      hint: 'Its server has a port and a database of its own.',
    })
  const file = options.configFile.default
  const ofFile = Object.entries(hasProject && existsSync(file) ? readFile(file) : {})
  const chosen = Object.fromEntries(ofFile.filter(([name]) => !NOT_A_CHOICE.includes(name)))
  const merged = { ...chosen, ...TEST_SETTINGS, ...own, ...(hasProject ? {} : { projectMigrations: false }) }
  const sources = {
    flags: { host: '127.0.0.1', port: '0', externalUrl, configFile: 'the options of the test' },
    env: {},
    readFile: () => JSON.stringify(merged),
  }
  const { values } = await settingsOfProject(loadConfig(options, sources), { env: process.env })
  const settings = Object.entries(values).filter(([name]) => ![...NOT_A_CHOICE, ...SENDERS].includes(name))
  return loadConfig(options, sources, Object.fromEntries(settings))
}

function readFile(path: string): object {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as object
  } catch (error) {
    throw new HoldfastError('config_file_invalid', 500, `The config file ${path} is not valid JSON.`, { cause: error })
  }
}
