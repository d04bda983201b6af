import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { errorMessage } from '@holdfast/foundation'
import { servesThisMachineOnly } from '../../config/loopback.ts'
import type { InspectConfig } from '../../config/options.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

/** Timeout in ms for a mail server's greeting. */
const GREETING_MS = 5_000

/** Port with implicit TLS. @see RFC 8314, section 7.3 */
const TLS_PORT = 465

/** Checks whether a mail server is configured and responds. */
export async function checkMail(config: InspectConfig): Promise<Finding> {
  const { emailSmtpHost: host, emailSmtpPort: port } = config
  if (host === undefined) {
    return servesThisMachineOnly(config)
      ? ok('mail', 'mails are captured, and not sent')
      : warning(
          'mail',
          'mails are captured, and not sent',
          'Set emailSmtpHost, so that people get their links and codes.',
        )
  }
  try {
    const greeting = await readGreeting(host, port)
    if (greeting.startsWith('220')) return ok('mail', `${host}:${port} greets`)
    return problem('mail', `${host}:${port} answers "${greeting}"`, 'Is it a mail server, at the port for submission?')
  } catch (error) {
    return problem(
      'mail',
      `${host}:${port} does not greet: ${errorMessage(error)}`,
      'Check emailSmtpHost and emailSmtpPort.',
    )
  }
}

async function readGreeting(host: string, port: number): Promise<string> {
  const socket = port === TLS_PORT ? connectTls({ host, port, servername: host }) : connect({ host, port })
  try {
    const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(GREETING_MS) })) as [Buffer]
    return (
      data
        .toString('latin1')
        .split(/[\r\n]/)[0]
        ?.slice(0, 80) ?? ''
    )
  } finally {
    socket.destroy()
  }
}
