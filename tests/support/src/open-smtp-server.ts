import type { AddressInfo } from 'node:net'

/** A received mail. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body, as sent. */
  readonly source: string
}

/** A local mail server that stores received mails. */
export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number
  readonly received: readonly ReceivedMail[]
  /** Response to the next mails; `undefined` accepts them. */
  refusal: { readonly code: number; readonly message: string } | undefined
}

/** @param account - the only permitted sender; default: everyone */
export async function openSmtpServer(account?: {
  readonly user: string
  readonly pass: string
}): Promise<TestSmtpServer> {
  // Few tests need it.
  const { SMTPServer } = await import('smtp-server')
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: account === undefined,
    disabledCommands: account === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    // Milliseconds: clients keep their connections open, and would hold up the end of a test.
    closeTimeout: 50,
    onAuth(auth, _session, callback) {
      const isRight = auth.username === account?.user && auth.password === account?.pass
      callback(isRight ? null : new Error('Invalid username or password'), { user: auth.username })
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { refusal } = result
        if (refusal) {
          callback(Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
          return
        }
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        })
        callback(null)
      })
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  const result: TestSmtpServer = {
    port: (server.server.address() as AddressInfo).port,
    received,
    refusal: undefined,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return result
}
