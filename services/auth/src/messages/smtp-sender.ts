import { errorMessage } from '@holdfast/foundation'
import { MAIL_SEND_TIMEOUT_MS, MESSAGE_SEND_TIMEOUT_MS, MESSAGES_SENDING_MAX } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { isLoopback } from '../rate-limits.ts'
import { type Sender, SendError } from './sender.ts'

/**
 * Sends mails through the server of `emailSmtpHost`; `undefined` when there is none. Connections are kept for the next mail.
 *
 * @param timeoutMs - for one mail as a whole: a server that says a little again and again is never silent
 */
export function createSmtpSender(
  options: AuthOptions,
  projectName: string,
  timeoutMs = MAIL_SEND_TIMEOUT_MS,
): Sender | undefined {
  const { emailSmtpHost: host, emailSmtpPort: port, emailSmtpUser: user, emailSmtpPass: pass } = options
  if (host === undefined || host === '') return undefined
  const isNear = host === 'localhost' || isLoopback(host)
  const closing = new AbortController()
  // The library is large: it is loaded for the first mail.
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      pool: true,
      host,
      port,
      secure: port === 465,
      // Otherwise an attacker in between could strip STARTTLS and read the password.
      requireTLS: user !== undefined && !isNear,
      ...(user === undefined ? {} : { auth: { user, pass: pass ?? '' } }),
      maxConnections: MESSAGES_SENDING_MAX,
      connectionTimeout: MESSAGE_SEND_TIMEOUT_MS,
      greetingTimeout: MESSAGE_SEND_TIMEOUT_MS,
      socketTimeout: MESSAGE_SEND_TIMEOUT_MS,
      dnsTimeout: MESSAGE_SEND_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    if (closing.signal.aborted) transport.close()
    return transport
  }
  let connecting: ReturnType<typeof connect> | undefined
  const address = options.emailSmtpAdminEmail
  const from = { name: options.emailSmtpSenderName ?? projectName, address }
  const domain = address.slice(address.lastIndexOf('@') + 1)

  return {
    async send({ id, recipient, subject, html, body, list_unsubscribe: offUrl }) {
      const transport = await (connecting ??= connect())
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: recipient },
          subject,
          html,
          text: body,
          signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
          // The same at every attempt, so that a mailbox can tell that two are one.
          messageId: `<${id}@${domain}>`,
          headers: {
            'auto-submitted': 'auto-generated',
            // RFC 8058.
            ...(offUrl !== null && {
              'list-unsubscribe': `<${offUrl}>`,
              'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
            }),
          },
        })
      } catch (error) {
        throw isRefusalOfMail(error) ? new SendError(errorMessage(error), { cause: error }) : error
      }
    },
    close() {
      closing.abort()
      void connecting?.then((transport) => transport.close())
    },
  }
}

/** Says that the account is needed first (RFC 4954, section 6), in answer to whatever came before it. */
const AUTHENTICATION_REQUIRED = 530

/** Whether this mail is refused for good. What is refused before it, such as the connection or the login, concerns no mail. */
function isRefusalOfMail(error: unknown): boolean {
  const { responseCode = 0, code } = error as { readonly responseCode?: number; readonly code?: string }
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isAboutMail && responseCode >= 500 && responseCode !== AUTHENTICATION_REQUIRED
}
