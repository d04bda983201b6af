import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { delay, HoldfastError, Semaphore } from '@holdfast/foundation'
import { createBodyMemory, type BodyShare, type Upgrade } from '@holdfast/http'
import { shuttingDown } from '../errors.ts'
import { COMPRESS_BYTES_MIN, COMPRESS_LEVEL, REQUEST_BYTES_MAX } from '../limits.ts'
import { DeviceSocket, type DeviceSocketOptions } from './device-socket.ts'
import {
  ARRIVING_BYTES_MAX,
  FRAGMENTS_MAX,
  OPENING_MAX,
  REQUEST_OVERHEAD_BYTES,
  STOPPING_MS,
  SWEEP_MS,
} from './limits.ts'

/** A device that asks for a WebSocket. */
export interface ArrivingDevice {
  /** Of its request, for the log. */
  readonly id: string
  readonly address: string
}

/** All WebSockets of devices. */
export interface DeviceSockets extends AsyncDisposable {
  /**
   * Counts an arriving device.
   *
   * @returns a function that takes over its connection
   * @throws {HoldfastError} `PSYNC_S2304` 429, `PSYNC_S2003` 503 while the server stops
   */
  enter(device: ArrivingDevice, decode: Decode): (upgrade: Upgrade) => void
}

/** Decodes JSON. Rejects if `isAbandoned` when its turn comes. */
export type Decode = DeviceSocketOptions['decode']

export interface DeviceSocketsOptions extends Omit<DeviceSocketOptions, 'decode'> {
  readonly compress: boolean
}

export function openDeviceSockets({ compress, ...options }: DeviceSocketsOptions): DeviceSockets {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: REQUEST_BYTES_MAX + REQUEST_OVERHEAD_BYTES,
    maxFragments: FRAGMENTS_MAX,
    perMessageDeflate: compress && COMPRESSION,
  })
  const opening = new Semaphore({ permits: OPENING_MAX, leavesRoom: true, refuse: tooManyOpening })
  const arriving = createBodyMemory(ARRIVING_BYTES_MAX)
  const sockets = new Set<DeviceSocket>()
  let isStopping = false
  let onEmpty: (() => void) | undefined
  const sweeping = setInterval(() => {
    const nowMs = options.now()
    for (const socket of sockets) socket.sweep(nowMs)
  }, SWEEP_MS)
  sweeping.unref()

  return {
    enter(device, decode) {
      if (isStopping) throw shuttingDown()
      const leave = opening.acquireNow({ key: device.address })
      return (upgrade) => {
        const { request, socket, head } = upgrade
        socket.once('close', leave)
        if (socket.destroyed) leave()
        server.handleUpgrade(request, socket, head, (webSocket) => {
          const arrived = countArriving(arriving.enter(device.address), socket, () => webSocket.terminate())
          webSocket.on('message', arrived)
          const counted: Decode = (body, userId, isAbandoned) =>
            decodeCounted(arriving.enter(device.address), body, () => decode(body, userId, isAbandoned))
          const one: DeviceSocket = new DeviceSocket(
            { ...options, decode: counted },
            {
              ...device,
              webSocket,
              socket,
              onOpened: leave,
              onClosed() {
                arrived()
                sockets.delete(one)
                if (sockets.size === 0) onEmpty?.()
              },
            },
          )
          sockets.add(one)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      for (const socket of sockets) socket.stop()
      if (sockets.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        onEmpty = resolve
        await Promise.race([promise, delay(STOPPING_MS)])
        for (const socket of sockets) socket.terminate()
      }
      clearInterval(sweeping)
    },
  }
}

/** Without context between messages: the state of a compressor would be most of an idle device's memory. */
const COMPRESSION = {
  threshold: COMPRESS_BYTES_MIN,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  zlibDeflateOptions: { level: COMPRESS_LEVEL },
}

/** Counts bytes until they are a message, and cuts a device whose address has too many. @returns releases them */
function countArriving(share: BodyShare, socket: Duplex, cut: () => void): () => void {
  socket.prependListener('data', (chunk: Buffer) => {
    try {
      share.add(chunk.length)
    } catch {
      cut() // without a word: a reply would take memory, too
    }
  })
  return () => share.release()
}

/** Counts a body until it is decoded. */
async function decodeCounted(share: BodyShare, body: Buffer, decode: () => Promise<unknown>): Promise<unknown> {
  try {
    share.add(body.length)
  } catch {
    throw new HoldfastError('PSYNC_S2304', 503, 'The server has too many requests in memory. Try again in a moment.')
  }
  try {
    return await decode()
  } finally {
    share.release()
  }
}

function tooManyOpening(): HoldfastError {
  return new HoldfastError('PSYNC_S2304', 429, 'Too many devices are connecting', { headers: { 'retry-after': '5' } })
}
