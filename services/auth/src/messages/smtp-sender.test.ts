import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type AuthOptions, defaultAuthOptions } from '../options/auth-options.ts'
import type { DueMessage } from './message-rows.ts'
import { type Sender, SendError } from './sender.ts'
import { createSmtpSender } from './smtp-sender.ts'

const MAIL: DueMessage = {
  id: 'b0b00000-0000-4000-8000-000000000001',
  channel: 'mail',
  recipient: 'mina@example.org',
  subject: 'Your code',
  html: '<p>123456</p>',
  body: '123456',
  code: '123456',
  sms_channel: null,
  list_unsubscribe: null,
  hook_payload: null,
  attempts: 1,
  created_at: new Date(),
}

/** A mail server's response to a client line, or its greeting for an empty line. */
type Say = (line: string, socket: Socket) => string | undefined

describe('a mail server', () => {
  test.each([
    ['that turns the connection away', { greeting: '554 5.7.1 Too many connections' }],
    ['that refuses the greeting of the client', { EHLO: '550 Go away', HELO: '550 Go away' }],
    ['that wants a login first', { MAIL: '530 5.7.0 Authentication required' }],
  ])('%s has not refused the mail, which can be tried again', async (_, answers) => {
    await using server = await openServer(answering(answers))
    await using sender = open(server.port)
    await expect(sender.send(MAIL)).rejects.not.toBeInstanceOf(SendError)
  })

  test.each([
    ['the sender', { MAIL: '553 5.1.8 Sender is not verified' }],
    ['the recipient', { RCPT: '550 5.1.1 No such mailbox' }],
    ['the text', { '.': '554 5.7.1 Refused as spam' }],
  ])('that refuses %s has refused the mail for good', async (_, answers) => {
    await using server = await openServer(answering(answers))
    await using sender = open(server.port)
    await expect(sender.send(MAIL)).rejects.toBeInstanceOf(SendError)
  })

  test('that never ends its answer is given up', async () => {
    await using server = await openServer(answering({}, trickle))
    await using sender = open(server.port, 400)
    await expect(sender.send(MAIL)).rejects.not.toBeInstanceOf(SendError)
    await expect.poll(() => server.connections()).toBe(0)
  })

  test('that never ends its answer does not outlast the sender', async () => {
    const begun = Promise.withResolvers<void>()
    await using server = await openServer(
      answering({}, (line, socket) => {
        const isBegun = trickle(line, socket)
        if (isBegun) begun.resolve()
        return isBegun
      }),
    )
    const sender = open(server.port)
    const sending = expect(sender.send(MAIL)).rejects.not.toBeInstanceOf(SendError)
    await begun.promise
    sender.close()
    await sending
    await expect.poll(() => server.connections()).toBe(0)
  })
})

function open(port: number, timeoutMs?: number): Sender & AsyncDisposable {
  const options: AuthOptions = { ...defaultAuthOptions(), emailSmtpHost: '127.0.0.1', emailSmtpPort: port }
  const sender = createSmtpSender(options, 'Northline', timeoutMs)
  if (!sender) throw new Error('there is a mail server')
  return { ...sender, [Symbol.asyncDispose]: async () => sender.close() }
}

/** Replies with endless data, so that the connection is never idle. */
function trickle(line: string, socket: Socket): boolean {
  if (!line.startsWith('MAIL')) return false
  const timer = setInterval(() => socket.write('250-still\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
  return true
}

/** @param stall - handles a line by sending no reply, or an incomplete one */
function answering(answers: Readonly<Record<string, string>>, stall?: (line: string, socket: Socket) => boolean): Say {
  let isText = false
  return (line, socket) => {
    if (line === '') return isText ? undefined : (answers['greeting'] ?? '220 test')
    if (isText && line !== '.') return undefined
    isText = line === 'DATA'
    if (stall?.(line, socket)) return undefined
    const [verb = ''] = line.split(' ')
    return answers[verb] ?? (verb === 'DATA' ? '354 go on' : '250 ok')
  }
}

async function openServer(say: Say) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined) // the client has gone
    const answer = (line: string): void => {
      const text = say(line, socket)
      if (text !== undefined) socket.write(`${text}\r\n`)
    }
    answer('')
    let rest = ''
    socket.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk.toString('latin1')}`.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) answer(line)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
