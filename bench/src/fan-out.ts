import type { FrameSocket } from './frame-socket.ts'
import { readProcessorTime } from './processor-time.ts'

/** A server that sends each message of a member of a room to its other members. */
export interface FanOutServer {
  readonly pid: number
  connect(): Promise<FrameSocket>
  /** The message with which a client joins a room; the server answers it. */
  joinMessage(room: string): string
  /** The message that a client sends to the others. */
  broadcast(room: string): Buffer
  /** The bytes that each of them receives, including the frame header. */
  readonly deliveredBytes: number
}

export interface Crowd {
  readonly rooms: number
  readonly membersPerRoom: number
  /** Number of sockets over which the memberships are spread. */
  readonly sockets: number
}

/** Measurements of one window of a run. */
export interface Window {
  readonly deliveriesPerSecond: number
  /** Processor time of the server per delivery, in microseconds; `undefined` where it cannot be measured. */
  readonly processorUs: number | undefined
}

const CONNECT_TOGETHER = 50
const PATIENCE_MS = 60_000

/** Members in rooms, and one sender per room, who does not receive its own messages. */
export interface OpenCrowd extends Disposable {
  /** Sends one message to each room per round, with `underWay` rounds in progress at the same time. */
  run(rounds: number, underWay: number): Promise<Window>
}

export async function openCrowd(server: FanOutServer, crowd: Crowd): Promise<OpenCrowd> {
  const { rooms, membersPerRoom, sockets: count } = crowd
  // All names have the same length, so that every delivery has the same size.
  const names = Array.from({ length: rooms }, (_, number) => `room-${String(number).padStart(3, '0')}`)
  const sockets: FrameSocket[] = []
  while (sockets.length < count + rooms) {
    const together = Math.min(CONNECT_TOGETHER, count + rooms - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: together }, () => server.connect()))))
  }
  const senders = sockets.slice(count)
  let next = 0
  for (const [position, name] of names.entries()) {
    await join(server, senders[position], name)
    for (let member = 0; member < membersPerRoom; member++) await join(server, sockets[next++ % count], name)
  }
  let delivered = 0
  let onBytes: (() => void) | undefined
  for (const socket of sockets.slice(0, count)) {
    socket.onBytes = ({ length }) => {
      delivered += length
      onBytes?.()
    }
  }

  return {
    async run(rounds, underWay) {
      delivered = 0
      const perRound = rooms * membersPerRoom * server.deliveredBytes
      const messages = names.map((name) => server.broadcast(name))
      const before = await readProcessorTime(server.pid)
      const began = performance.now()
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${delivered} of ${rounds * perRound} bytes arrived`)),
          PATIENCE_MS,
        )
        let sent = 0
        onBytes = () => {
          while (sent < rounds && delivered >= (sent - underWay + 1) * perRound) {
            for (const [position, message] of messages.entries()) senders[position]?.send(message)
            sent++
          }
          if (delivered < rounds * perRound) return
          clearTimeout(timer)
          resolve()
        }
        onBytes()
      })
      onBytes = undefined
      const seconds = (performance.now() - began) / 1_000
      const after = await readProcessorTime(server.pid)
      const deliveries = rounds * rooms * membersPerRoom
      return {
        deliveriesPerSecond: deliveries / seconds,
        processorUs: before && after && ((after.node - before.node) * 1_000) / deliveries,
      }
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.close()
    },
  }
}

/** Joins a room and waits for the answer. */
export async function join(
  server: Pick<FanOutServer, 'joinMessage'>,
  socket: FrameSocket | undefined,
  room: string,
): Promise<void> {
  if (!socket) throw new Error('there is no socket')
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the join of ${room} was not answered`)), PATIENCE_MS)
    socket.onBytes = () => {
      clearTimeout(timer)
      socket.onBytes = undefined
      resolve()
    }
    socket.send(server.joinMessage(room))
  })
}
