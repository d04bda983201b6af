import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

const OPCODE_TEXT = 0x81
const OPCODE_BINARY = 0x82
const MASKED = 0x80
const LENGTH_16 = 126

/** A WebSocket that counts the received bytes without decoding them, so that a thousand of them cost little compared with the server's work. */
export interface FrameSocket {
  /** Bytes received since the last {@link reset}, frame headers included. */
  readonly bytes: number
  /** Called with the bytes of each read. */
  onBytes: ((chunk: Buffer) => void) | undefined
  readonly hasEnded: boolean
  send(payload: string | Buffer): void
  reset(): void
  close(): void
}

/** Opens a WebSocket connection. */
export async function openFrameSocket(url: string): Promise<FrameSocket> {
  const socket = await upgrade(url)
  let bytes = 0
  let hasEnded = false
  const client: FrameSocket = {
    get bytes() {
      return bytes
    },
    get hasEnded() {
      return hasEnded
    },
    onBytes: undefined,
    send: (payload) => void socket.write(encodeFrame(payload)),
    reset: () => void (bytes = 0),
    close: () => void socket.destroy(),
  }
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    client.onBytes?.(chunk)
  })
  socket.on('error', () => undefined) // a close event follows
  socket.on('close', () => void (hasEnded = true))
  return client
}

async function upgrade(url: string): Promise<Socket> {
  const sent = request(url, {
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    },
  })
  return await new Promise((resolve, reject) => {
    sent.once('upgrade', (_response, socket, head) => {
      socket.setNoDelay(true)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    sent.once('response', ({ statusCode }) => reject(new Error(`the handshake was answered with ${statusCode}`)))
    sent.once('error', reject)
    sent.end()
  })
}

/** Clients must mask their frames; a mask of zeros leaves the payload unchanged. */
function encodeFrame(payload: string | Buffer): Buffer {
  const data = Buffer.from(payload)
  const head =
    data.length < LENGTH_16
      ? Buffer.from([0, MASKED | data.length])
      : Buffer.from([0, MASKED | LENGTH_16, data.length >> 8, data.length & 0xff])
  head[0] = typeof payload === 'string' ? OPCODE_TEXT : OPCODE_BINARY
  return Buffer.concat([head, Buffer.alloc(4), data])
}
