import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { textOption } from './arguments.ts'
import { openCrowd, join, type Crowd, type FanOutServer, type OpenCrowd, type Window } from './fan-out.ts'
import { openFrameSocket } from './frame-socket.ts'
import { openInspector } from './inspector.ts'
import { residentBytes } from './items.ts'
import { CHANGES } from './realtime-changes.bench.ts'
import { median, type Figure } from './report.ts'
import { sized } from './size.ts'

/** Messages of each sender in progress at the same time: one, and enough to keep the server busy. */
const ROUNDS_UNDER_WAY = [1, 8]

/** Number of alternating windows; the median is used. */
const WINDOWS = 3
const DELIVERIES_PER_WINDOW = sized(200_000)

/** A typical payload, such as the position of a cursor. */
const PAYLOAD = JSON.stringify({
  id: '0a2b5b1e-5a8e-4a86-9a0a-3a1c5d0f7f11',
  x: 812.5,
  y: 431.25,
  at: 1_764_000_000_000,
})
const EVENT = 'cursor'

const CROWDS: Readonly<Record<string, Crowd>> = {
  '1 → 1,000': { rooms: 1, membersPerRoom: sized(1_000), sockets: sized(1_000) },
  '100 × 100': { rooms: sized(100), membersPerRoom: sized(100), sockets: sized(1_000) },
}

/** Options that switch off rate limits, since one machine runs all clients. */
const UNLIMITED = [
  '--realtime-messages-per-second-max=0',
  '--realtime-bytes-per-second-max=0',
  '--realtime-joins-per-second-max=100000',
  '--realtime-clients-max=100000',
  '--realtime-server-messages-per-second-max=0',
  '--realtime-silence-seconds=3600',
]

/** Memory first, before other parts have grown the heap. */
const PARTS: Readonly<Record<string, (holdfast: Holdfast) => Promise<Figure[]>>> = {
  idle: (holdfast) => benchIdleMembers(holdfast, sized(2_000)),
  broadcast: benchFanOut,
  ...CHANGES,
}

/**
 * Channels: throughput of broadcasts beside a server that does nothing else, the cost of idle members, and the cost of Postgres changes. `--only=latency`
 * runs the parts whose names contain the word.
 */
export async function benchRealtime(): Promise<Figure[]> {
  const only = textOption('only') ?? ''
  await using holdfast = await openHoldfast({ args: UNLIMITED })
  const figures: Figure[] = []
  for (const [name, part] of Object.entries(PARTS)) if (name.includes(only)) figures.push(...(await part(holdfast)))
  return figures
}

async function benchFanOut(holdfast: Holdfast): Promise<Figure[]> {
  const own = channelsOf(holdfast)
  const bareProcess = fork(new URL('./bare-sockets.ts', import.meta.url))
  try {
    const [port] = (await once(bareProcess, 'message')) as [number]
    const bare = bareOf(port, bareProcess.pid ?? 0)
    const figures: Figure[] = []
    for (const [name, crowd] of Object.entries(CROWDS)) {
      using members = await openCrowd(own, crowd)
      using bareMembers = await openCrowd(bare, crowd)
      for (const underWay of ROUNDS_UNDER_WAY)
        figures.push(
          ...(await compareFanOut(`${name}, ${underWay} under way`, { members, bareMembers }, crowd, underWay)),
        )
    }
    return figures
  } finally {
    bareProcess.disconnect()
  }
}

async function compareFanOut(
  name: string,
  { members, bareMembers }: { readonly members: OpenCrowd; readonly bareMembers: OpenCrowd },
  crowd: Crowd,
  underWay: number,
): Promise<Figure[]> {
  const rounds = Math.max(1, Math.round(DELIVERIES_PER_WINDOW / (crowd.rooms * crowd.membersPerRoom)))
  const windows: Window[] = []
  const bareWindows: Window[] = []
  // The first window lets the compiler warm up and is not used.
  for (let window = 0; window <= WINDOWS; window++) {
    windows.push(await members.run(rounds, underWay))
    bareWindows.push(await bareMembers.run(rounds, underWay))
  }
  const of = (given: readonly Window[], read: (window: Window) => number | undefined): number =>
    median(given.slice(1).map((window) => read(window) ?? Number.NaN))
  const figures = [
    {
      name: `broadcast ${name}, deliveries`,
      value: of(windows, ({ deliveriesPerSecond }) => deliveriesPerSecond),
      unit: '1/s',
      reference: {
        name: 'a bare server of ws',
        value: of(bareWindows, ({ deliveriesPerSecond }) => deliveriesPerSecond),
      },
    },
    {
      name: `broadcast ${name}: processor time of Node per delivery`,
      value: of(windows, ({ processorUs }) => processorUs),
      unit: 'µs',
      reference: { name: 'a bare server of ws', value: of(bareWindows, ({ processorUs }) => processorUs) },
    },
  ]
  return figures.filter(({ value }) => !Number.isNaN(value))
}

/** Members of one channel each, who are idle. Memory is measured as in `idle`. */
async function benchIdleMembers(holdfast: Holdfast, count: number): Promise<Figure[]> {
  using inspector = await openInspector(holdfast)
  const own = channelsOf(holdfast)
  // Warms up connections and compiled code.
  ;(await openCrowd(own, { rooms: 1, membersPerRoom: sized(200), sockets: sized(200) }))[Symbol.dispose]()
  await new Promise((resolve) => setTimeout(resolve, sized(2_000)))
  await inspector.collectGarbage()
  const before = await residentBytes(holdfast)
  const sockets = []
  for (let number = 0; number < count; number++) {
    const socket = await own.connect()
    await join(own, socket, `idle-${number}`)
    sockets.push(socket)
  }
  const asItStands = await residentBytes(holdfast)
  await inspector.collectGarbage()
  const kept = await residentBytes(holdfast)
  if (sockets.some(({ hasEnded }) => hasEnded)) throw new Error('members were cut off')
  for (const socket of sockets) socket.close()
  const each = (bytes: number): number => (bytes - before) / count / 1024
  return [
    { name: `memory per idle member, ${count} sockets`, value: each(kept), unit: 'KB' },
    { name: `memory per idle member, ${count} sockets, with garbage`, value: each(asItStands), unit: 'KB' },
  ]
}

const ROOM = 'room-000'

/** The header of a WebSocket frame has two bytes up to this payload size, and four above. */
const withHead = (bytes: number): number => bytes + (bytes < 126 ? 2 : 4)

const topicOf = (room: string): string => `realtime:${room}`

/** What a member of a room gets: kind, three lengths, encoding, topic, event, payload. */
const DELIVERED_BYTES = 5 + topicOf(ROOM).length + EVENT.length + PAYLOAD.length

function channelsOf(holdfast: Holdfast): FanOutServer {
  const url = `${holdfast.url}/realtime/v1/websocket?vsn=2.0.0&apikey=${holdfast.anonKey}`
  const config = { broadcast: { self: false, ack: false }, presence: { enabled: false } }
  return {
    get pid() {
      return holdfast.pid()
    },
    connect: () => openFrameSocket(url),
    joinMessage: (room) => JSON.stringify(['1', '1', topicOf(room), 'phx_join', { config }]),
    broadcast: (room) => {
      const texts = ['', '', topicOf(room), EVENT, '']
      return Buffer.concat([
        Buffer.from([3, ...texts.map(({ length }) => length), 1]),
        Buffer.from(texts.join('') + PAYLOAD),
      ])
    },
    deliveredBytes: withHead(DELIVERED_BYTES),
  }
}

/** A server without channels, which passes on messages of the same size unchanged. */
function bareOf(port: number, pid: number): FanOutServer {
  return {
    pid,
    connect: () => openFrameSocket(`http://127.0.0.1:${port}/`),
    joinMessage: (room) => room,
    broadcast: (room) => {
      const message = Buffer.alloc(DELIVERED_BYTES, 'x')
      message[0] = room.length
      message.write(room, 1)
      return message
    },
    deliveredBytes: withHead(DELIVERED_BYTES),
  }
}
