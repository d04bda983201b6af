import { randomBytes } from 'node:crypto'
import type { AuthService } from '@holdfast/auth'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { LOOK_AGAIN_MS, LOOK_MS, SECRET_BYTES } from './limits.ts'
import { claim, type DueMail, finish, hasWaiting, noteFailure, renewSecret } from './queue.ts'

export interface InvitationMailsOptions {
  /** Connected as the project: its triggers run with its own rights. */
  readonly pool: Pool
  readonly send: AuthService['sendInvitation']
  /** Where the app is that has the page `/invite/<secret>`, without a slash at the end. */
  readonly appUrl: string
  readonly logger: Logger
}

/**
 * Writes the mails that invitations wait for. Only here is there the secret of a link, for as long as it takes to write the mail; the database has its hash. Any
 * number of servers of one database share the queue.
 */
export class InvitationMails implements AsyncDisposable {
  readonly #options: InvitationMailsOptions
  #isClosed = false
  #isDue = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: InvitationMailsOptions) {
    this.#options = options
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isClosed) return
    this.#isDue = true
    this.#looking ??= this.#lookUntilDone().finally(() => (this.#looking = undefined))
  }

  async #lookUntilDone(): Promise<void> {
    const { pool, logger } = this.#options
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      try {
        const due = await claim(pool)
        for (const mail of due) await this.#write(mail)
        if (due.length > 0) this.#isDue = true
        else if (await hasWaiting(pool)) this.#wakeAfter(LOOK_MS)
      } catch (error) {
        logger.log('debug', `the queue of invitations cannot be read yet: ${errorMessage(error)}`)
        this.#wakeAfter(LOOK_AGAIN_MS)
      }
    }
  }

  async #write(mail: DueMail): Promise<void> {
    const { pool, send, appUrl, logger } = this.#options
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const invitation = mail.invitationId === null ? undefined : await renewSecret(pool, mail.invitationId, secret)
    try {
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
    await finish(pool, mail)
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), ms)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
    clearTimeout(this.#timer)
  }
}
