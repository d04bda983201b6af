import { errorMessage } from '@holdfast/foundation'
import { MAIL_SEND_TIMEOUT_MS, MESSAGE_SEND_TIMEOUT_MS, MESSAGES_SENDING_MAX } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { isLoopback } from '../rate-limits.ts'
import { type Sender, SendError } from './sender.ts'

/**
 * Creates a sender for the server at `emailSmtpHost`; `undefined` without one. Connections are reused.
 *
 * @param timeoutMs - for a whole mail, because a server that keeps sending a few bytes never hits an idle timeout
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
  // The library is large, so it is loaded with the first mail.
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
          // Stable across attempts, so that a mailbox can deduplicate.
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

/** Authentication required (RFC 4954, section 6). A server may send it in reply to any command. */
const AUTHENTICATION_REQUIRED = 530

/** Returns whether the server refused this mail permanently. Earlier failures, such as a refused login, are not about the mail. */
function isRefusalOfMail(error: unknown): boolean {
  const { responseCode = 0, code } = error as { readonly responseCode?: number; readonly code?: string }
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isAboutMail && responseCode >= 500 && responseCode !== AUTHENTICATION_REQUIRED
}
