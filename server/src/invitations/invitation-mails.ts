import { randomBytes } from 'node:crypto'
import type { AuthService } from '@holdfast/auth'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { type Claimed, QueueWorker } from '@holdfast/queue'
import { DRAIN_MS, MAILS_AT_ONCE, SECRET_BYTES } from './limits.ts'
import { type DueMail, finish, INVITATION_QUEUE, noteFailure, renewSecret } from './queue.ts'

export interface InvitationMailsOptions {
  /** Connected as the project's role, so that triggers run with its rights. */
  readonly pool: Pool
  readonly send: AuthService['sendInvitation']
  /** Whether mails are sent; otherwise they are captured, and nobody receives them. */
  readonly hasMail: boolean
  /** URL of the app that serves `/invite/<secret>`, without trailing slash. */
  readonly appUrl: string
  readonly logger: Logger
}

/** Opens the worker that sends invitation mails. A link's secret exists only while its mail is written; the database stores its hash. */
export function openInvitationMails(options: InvitationMailsOptions): QueueWorker<DueMail> {
  const { pool, send, hasMail, appUrl, logger } = options
  return new QueueWorker<DueMail>({
    name: 'invitations',
    pool,
    queue: INVITATION_QUEUE,
    logger,
    slots: MAILS_AT_ONCE,
    run: ([mail]) => write(mail),
    drainMs: DRAIN_MS,
  })

  async function write(mail: DueMail & Claimed): Promise<void> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    try {
      const invitation = mail.invitationId === null ? undefined : await renewSecret(pool, mail.invitationId, secret)
      if (invitation) {
        const { email, workspace, inviter, team, message, expiresAt } = invitation
        await send({
          to: email,
          link: `${appUrl}/invite/${secret}`,
          secret,
          workspace,
          inviter: inviter ?? undefined,
          team: team ?? undefined,
          message: message ?? undefined,
          expiresAt,
        })
      }
    } catch (error) {
      logger.log('warn', 'the mail of an invitation was not written', { error: errorMessage(error) })
      await noteFailure(pool, mail)
      return
    }
    await finish(pool, mail, hasMail ? 'sent' : 'captured')
  }
}
