import type { Holdfast } from '@holdfast/test-support'
import { openFrameSocket, type FrameSocket } from './frame-socket.ts'
import { mintToken } from './tokens.ts'

/** One channel that subscribes to the changes of the table. */
export interface Follower {
  /** The user who joins; subscribers with the same user form one class. */
  readonly person: string
  /** As in a join, such as `room=eq.1`. */
  readonly filter?: string
}

/** Channels that subscribe to the changes of one table, many of them on each socket. */
export interface Followers extends Disposable {
  /** Joins, and waits until the server confirms that the subscription is active. */
  add(followers: readonly Follower[]): Promise<void>
  /** Called for each event, with the marker of the changed row. */
  onEvent: ((marker: string, atMs: number) => void) | undefined
}

/** Prefix of a row's marker, which occurs in one of its columns and nowhere else in an event. */
export const MARKER = 'bench-'
const MARKER_BYTES = MARKER.length + 36

const CHANNELS_PER_SOCKET = 100
const SOCKETS_TOGETHER = 8
const PATIENCE_MS = 120_000

export function openFollowers(holdfast: Holdfast, table: string): Followers {
  const url = `${holdfast.url}/realtime/v1/websocket?vsn=2.0.0&apikey=${holdfast.anonKey}`
  const sockets: FrameSocket[] = []
  let channels = 0

  async function addToOne(some: readonly Follower[]): Promise<void> {
    const socket = await openFrameSocket(url)
    sockets.push(socket)
    for (const follower of some) {
      const message = joinMessage(
        `changes-${++channels}`,
        table,
        follower,
        mintToken(holdfast.jwtSecret, follower.person),
      )
      await joinAndWait(socket, message)
    }
    const find = markerFinder()
    socket.onBytes = (chunk) => {
      const atMs = performance.now()
      for (const marker of find(chunk)) followers.onEvent?.(marker, atMs)
    }
  }

  const followers: Followers = {
    onEvent: undefined,
    async add(wanted) {
      const parts: (readonly Follower[])[] = []
      for (let at = 0; at < wanted.length; at += CHANNELS_PER_SOCKET)
        parts.push(wanted.slice(at, at + CHANNELS_PER_SOCKET))
      const next = parts.values()
      await Promise.all(
        Array.from({ length: SOCKETS_TOGETHER }, async () => {
          for (const part of next) await addToOne(part)
        }),
      )
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.close()
    },
  }
  return followers
}

function joinMessage(name: string, table: string, { filter }: Follower, token: string): string {
  const config = {
    broadcast: { self: false, ack: false },
    presence: { enabled: false },
    postgres_changes: [{ event: 'INSERT', schema: 'public', table, ...(filter === undefined ? {} : { filter }) }],
  }
  return JSON.stringify(['1', '1', `realtime:${name}`, 'phx_join', { config, access_token: token }])
}

/** The reply to a join arrives first, then the message that confirms the subscription. */
async function joinAndWait(socket: FrameSocket, message: string): Promise<void> {
  let text = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`a join was not answered: ${text}`)), PATIENCE_MS)
    socket.onBytes = (chunk) => {
      text += chunk.toString('latin1')
      const isSubscribed = text.includes('Subscribed to PostgreSQL')
      const isRefused = text.includes('"status":"error"')
      if (!isSubscribed && !isRefused) return
      clearTimeout(timer)
      socket.onBytes = undefined
      if (isSubscribed) resolve()
      else reject(new Error(`a join was refused: ${text}`))
    }
    socket.send(message)
  })
}

/** Returns a function that finds the markers in the received bytes, also when a marker is split over two reads. */
function markerFinder(): (chunk: Buffer) => string[] {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const markers: string[] = []
    let from = 0
    for (
      let at = bytes.indexOf(MARKER);
      at >= 0 && at + MARKER_BYTES <= bytes.length;
      at = bytes.indexOf(MARKER, from)
    ) {
      from = at + MARKER_BYTES
      markers.push(bytes.toString('latin1', at, from))
    }
    rest = Buffer.from(bytes.subarray(Math.max(from, bytes.length - MARKER_BYTES + 1)))
    return markers
  }
}
