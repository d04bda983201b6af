import { silentLogger, HoldfastError } from '@holdfast/foundation'
import { consoleMigrations, Invitations } from '@holdfast/console'
import { isOperatorRole, OPERATOR_ROLES, type OperatorRole } from '@holdfast/protocol'
import { applyMigrations, createPool } from '@holdfast/postgres'
import { baseUrlOf } from '../config/base-url.ts'
import { consoleDeclarations } from '../config/options.ts'
import { loadProjectConfig } from '../project/settings/load-project-config.ts'
import { readRunning } from '../running-file.ts'
import { sourcesOf, type CommandInput } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `holdfast console invite EMAIL --role`: creates the link by which an operator creates an account. */
export async function inviteOperator(input: CommandInput): Promise<number> {
  return await createLink(input, { mayExist: false })
}

/** `holdfast console recover EMAIL`: creates the link by which an operator sets a new password. */
export async function recoverOperator(input: CommandInput): Promise<number> {
  return await createLink(input, { mayExist: true })
}

/** @throws {HoldfastError} `option_invalid`, `operator_exists`, errors of the database */
async function createLink(input: CommandInput, { mayExist }: { readonly mayExist: boolean }): Promise<number> {
  const { config } = await loadProjectConfig(consoleDeclarations, sourcesOf(input))
  const [email = ''] = input.words
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new HoldfastError('option_invalid', 500, `"${email}" is not an email address.`)
  const role = requireRole(config.role)
  const key = await withDatabase(config, async (url) => {
    await using pool = createPool({ url, applicationName: 'holdfast console', connectionsMax: 1 })
    await applyMigrations({ pool, sources: [consoleMigrations], logger: silentLogger })
    return await new Invitations(pool).create({ email, role, invitedBy: 'the command line', mayExist })
  })
  const base = readRunning(config.dataDir)?.ready.base ?? baseUrlOf(config, config.port)
  const link = `${base}/console/#key=${key}`
  input.out(config.json ? `${JSON.stringify({ email, link })}\n` : `${link}\n`)
  if (!config.json) input.err(`For ${email}. The link works once.\n`)
  return 0
}

function requireRole(role: string): OperatorRole {
  if (isOperatorRole(role)) return role
  throw new HoldfastError('option_invalid', 500, `--role: "${role}" is not a role.`, {
    hint: `Use ${OPERATOR_ROLES.join(', ')}.`,
  })
}
