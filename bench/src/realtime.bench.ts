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

/** Messages of each sender that are under way at the same time: one after the other, and so many that the server is never without work. */
const ROUNDS_UNDER_WAY = [1, 8]

/** Windows in turns, of which the middle one counts. */
const WINDOWS = 3
const DELIVERIES_PER_WINDOW = sized(200_000)

/** What one person shows of a cursor, say. */
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

/** No limit is in the way: one machine is all clients. */
const UNLIMITED = [
  '--realtime-messages-per-second-max=0',
  '--realtime-bytes-per-second-max=0',
  '--realtime-joins-per-second-max=100000',
  '--realtime-clients-max=100000',
  '--realtime-server-messages-per-second-max=0',
  '--realtime-silence-seconds=3600',
]

/** Memory first, before anything else has grown the heap. */
const PARTS: Readonly<Record<string, (holdfast: Holdfast) => Promise<Figure[]>>> = {
  idle: (holdfast) => benchIdleMembers(holdfast, sized(2_000)),
  broadcast: benchFanOut,
  ...CHANGES,
}

/**
 * Channels: how fast broadcasts reach their members beside a server that does nothing else, what a member costs that is only there, and what Postgres changes cost.
 * `--only=latency` runs the parts whose names contain the word.
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
  // The first window of each is for the compiler.
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

/** Members of one channel each, who do nothing. Memory as `idle` counts it. */
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

/** A WebSocket's frame has two bytes before so few, and four before more. */
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

/** Messages as long, which it hands on as they are. */
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
