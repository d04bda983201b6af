import type { FastifyPluginAsync } from 'fastify'
import { type Cluster, withOwnSettings } from '@holdfast/postgres'
import { openInvitationMails } from '../invitations/invitation-mails.ts'
import { joinRoutes } from '../invitations/join-routes.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Connections that read the queue and find the invitation of a joining user. */
const CONNECTIONS_MAX = 2

export interface InvitationsPart {
  readonly routes: FastifyPluginAsync
  /** Call on the database's notification of a waiting mail. */
  wake(): void
}

/** Opens invitations: the mails, which accounts sends, and accounts for users without one. */
export function openInvitations(
  { config, logger, opened, openPool }: PartContext,
  given: { readonly cluster: Cluster; readonly accounts: Accounts; readonly baseUrl: string },
): InvitationsPart {
  const { auth } = given.accounts
  const { adminUrl, serverVersion } = given.cluster
  // As the project's role, because the tables are the project's and their triggers run with its rights.
  const pool = openPool({
    url: withOwnSettings(adminUrl, serverVersion),
    applicationName: 'holdfast invitations',
    connectionsMax: CONNECTIONS_MAX,
  })
  const send = (invitation: Parameters<typeof auth.sendInvitation>[0]): Promise<void> => auth.sendInvitation(invitation)
  const hasMail = auth.captured === undefined
  const mails = opened.use(
    openInvitationMails({ pool, send, hasMail, appUrl: (config.siteUrl ?? given.baseUrl).replace(/\/+$/, ''), logger }),
  )
  const routes = joinRoutes({ pool, createAccount: (account) => auth.createInvitedAccount(account), hasMail, logger })
  return { routes, wake: () => mails.wake() }
}
