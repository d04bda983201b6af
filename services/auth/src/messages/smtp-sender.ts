import { errorMessage } from '@holdfast/foundation'
import { MESSAGE_SEND_TIMEOUT_MS, MESSAGES_SENDING_MAX } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { isLoopback } from '../rate-limits.ts'
import { type Sender, SendError } from './sender.ts'

/** Sends mails through the server of `emailSmtpHost`; `undefined` when there is none. Connections are kept for the next mail. */
export function createSmtpSender(options: AuthOptions, projectName: string): Sender | undefined {
  const { emailSmtpHost: host, emailSmtpPort: port, emailSmtpUser: user, emailSmtpPass: pass } = options
  if (host === undefined || host === '') return undefined
  const isNear = host === 'localhost' || isLoopback(host)
  let isClosed = false
  // The library is large: it is loaded for the first mail.
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      pool: true,
      host,
      port,
      secure: port === 465,
      // Without this, a person between us and the mail server could have the password in clear text by hiding STARTTLS.
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
    if (isClosed) transport.close()
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
        const { responseCode, code } = error as { readonly responseCode?: number; readonly code?: string }
        const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
        throw isFinal ? new SendError(errorMessage(error), { cause: error }) : error
      }
    },
    close() {
      isClosed = true
      void connecting?.then((transport) => transport.close())
    },
  }
}
