import { vi } from 'vitest'
import {
  findDaemon,
  freePort,
  startHaproxy,
  startNatsServer,
  type Holdfast,
  type ServerProcess,
} from '@holdfast/test-support'
import { pause } from './world.ts'

/** The programs that a cluster needs besides the servers. */
export interface ClusterPrograms {
  readonly nats: string
  readonly haproxy: string
}

/** Returns `undefined` if one of the programs is not installed. */
export function findClusterPrograms(): ClusterPrograms | undefined {
  const nats = findDaemon('nats-server', 'NATS_SERVER_PATH')
  const haproxy = findDaemon('haproxy', 'HAPROXY_PATH')
  return nats !== undefined && haproxy !== undefined ? { nats, haproxy } : undefined
}

/** A program that can be killed and started again with the same settings. */
export interface Restartable {
  kill(): Promise<void>
  start(): Promise<void>
}

/** One of the servers. It keeps its port. */
export interface ClusterNode extends Restartable {
  readonly url: string
  /** Sends a signal such as SIGSTOP. */
  signal(name: NodeJS.Signals): void
  /** Stops it as a deployment does; resolves when it is gone. */
  stop(): Promise<void>
  log(): string
}

/** Three servers of one database behind HAProxy, with NATS, as processes. */
export interface Cluster extends AsyncDisposable {
  /** Of HAProxy. */
  readonly url: string
  readonly nodes: readonly ClusterNode[]
  readonly nats: Restartable
  readonly balancer: Restartable
  /** The server that reads the changes. */
  reader(): Promise<ClusterNode>
  /** A server that follows and serves devices. */
  follower(): Promise<ClusterNode>
  /** Waits until all servers serve devices, one of them as the reader. */
  untilComplete(): Promise<void>
  log(): string
}

const NODES = 3
const COMPLETE_TIMEOUT_MS = 60_000
/** Time in ms until some server has a role. */
const ROLE_MS = 20_000

/** Starts the cluster on the Postgres of a server, which it kills. */
export async function openCluster(holdfast: Holdfast, programs: ClusterPrograms): Promise<Cluster> {
  await holdfast.kill9()
  const [natsPort, port, ...ports] = await Promise.all(Array.from({ length: NODES + 2 }, freePort))
  const nats = createRestartable(() => startNatsServer(programs.nats, natsPort ?? 0))
  const balancer = createRestartable(() => startHaproxy({ program: programs.haproxy, port: port ?? 0, servers: ports }))
  await nats.start()
  const args = [`--nats-url=nats://127.0.0.1:${natsPort}`, '--webhooks-allow=127.0.0.1']
  const nodes: ClusterNode[] = []
  for (const one of ports) {
    const node = createNode(`http://127.0.0.1:${one}`, () => holdfast.another({ port: one, args }))
    nodes.push(node)
    await node.start()
  }
  await balancer.start()

  async function roleOf({ url }: ClusterNode): Promise<string> {
    const headers = { apikey: holdfast.serviceRoleKey }
    const response = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(2_000) })
    const { sync, sync_role: role } = (await response.json()) as { sync: string; sync_role: string }
    return sync === 'ready' ? role : sync
  }
  const rolesOf = (): Promise<string[]> => Promise.all(nodes.map((node) => roleOf(node).catch(String)))
  const log = (): string => nodes.map((node) => `${node.url}: ${node.log().slice(-3_000)}`).join('\n')

  return {
    url: `http://127.0.0.1:${port}`,
    nodes,
    nats,
    balancer,
    reader: () => nodeWith('reader', nodes, rolesOf),
    follower: () => nodeWith('follower', nodes, rolesOf),
    async untilComplete() {
      const isComplete = async (): Promise<boolean> => {
        const roles = await rolesOf()
        return roles.toSorted().join() === 'follower,follower,reader'
      }
      await vi.waitUntil(isComplete, { timeout: COMPLETE_TIMEOUT_MS, interval: 100 }).catch((error: unknown) => {
        throw new Error(`the cluster is not complete\n${log()}`, { cause: error })
      })
    },
    log,
    async [Symbol.asyncDispose]() {
      await balancer.kill()
      await Promise.all(nodes.map((node) => node.kill()))
      await nats.kill()
    },
  }
}

function createRestartable(open: () => Promise<AsyncDisposable>): Restartable {
  let running: AsyncDisposable | undefined
  return {
    async start() {
      running = await open()
    },
    async kill() {
      await running?.[Symbol.asyncDispose]()
      running = undefined
    },
  }
}

function createNode(url: string, open: () => Promise<ServerProcess>): ClusterNode {
  let running: ServerProcess | undefined
  return {
    url,
    async start() {
      // As a supervisor does: on a busy machine Postgres may not accept a connection in time.
      running = await open().catch(open)
    },
    kill: async () => running?.kill('SIGKILL'),
    stop: async () => running?.kill('SIGTERM'),
    signal: (name) => void running?.child.kill(name),
    log: () => running?.log() ?? '',
  }
}

/** Waits for a role: after a fault the servers choose anew. */
async function nodeWith(
  role: 'reader' | 'follower',
  nodes: readonly ClusterNode[],
  rolesOf: () => Promise<readonly string[]>,
): Promise<ClusterNode> {
  for (const deadline = Date.now() + ROLE_MS; ; await pause(200)) {
    const roles = await rolesOf()
    const node = nodes.find((_, index) => roles[index] === role)
    if (node) return node
    if (Date.now() > deadline) throw new Error(`no server is ${role}: ${roles.join(', ')}`)
  }
}
